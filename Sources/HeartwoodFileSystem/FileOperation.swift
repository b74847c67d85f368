/// A kind of call of the file system.
public enum FileOperation: String, Sendable, Hashable, CaseIterable {
    /// Opening or creating a file.
    case open
    /// Reading from a file.
    case read
    /// Writing to a file.
    case write
    /// Reserving space for a file.
    case allocate
    /// Mapping a file as writable memory.
    case map
    /// Storing to such memory. This never fails.
    case store
    /// Changing the size of a file.
    case truncate
    /// Making a file's bytes durable.
    case sync
    /// Making a directory's entries durable.
    case syncDirectory
    /// Renaming a file or directory.
    case rename
    /// Removing a file or directory.
    case remove
    /// Listing a directory.
    case list
    /// Creating a directory.
    case createDirectory
    /// Reading the size or kind of a file.
    case status
    /// Taking a lock.
    case lock
    /// Closing a file.
    case close
}
