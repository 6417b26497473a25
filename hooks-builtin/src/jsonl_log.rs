//! Every event, as a line of JSON in a file.
