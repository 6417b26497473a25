-- The text in which somebody has written a version of a hook, with its comments; the one before, if it came without a text.
ALTER TABLE hook_version ADD COLUMN text TEXT NOT NULL DEFAULT '';
