//! What an agent may do: the first guard of all.
