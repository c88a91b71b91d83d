"""What a user may point at: files, frames, connections, lists of pairs; and which engine reads it."""
