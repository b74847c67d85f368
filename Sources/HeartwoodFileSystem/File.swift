/// An open file.
///
/// Every method is one system call: it may do less than requested, and may be interrupted. ``readFully(into:at:)`` and
/// similar methods repeat the call as needed. Any number of threads may use a file at the same time.
///
/// Offsets and counts are in bytes.
package protocol File: AnyObject, Sendable {
    /// The path with which the file was opened. The file may have been renamed since.
    var path: String { get }

    /// The size in bytes.
    func size() throws(FileSystemError) -> UInt64

    /// Reads up to as many bytes as the buffer holds.
    ///
    /// - Returns: How many bytes were read. The system may read fewer than requested at any time. 0 means the end of
    ///   the file (or an empty buffer).
    /// - Throws: ``FileSystemError``; `EINTR` if a signal interrupted the call.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int

    /// Fills the buffer, if that is possible without waiting for the disk. For callers that must not block.
    ///
    /// - Returns: How many bytes were read. This is less than the size of the buffer only at the end of the file. Nil
    ///   if the call would have to wait, or if the system can't tell: then use ``readFully(into:at:)`` on a thread that
    ///   may block. Part of the buffer may have been overwritten.
    /// - Throws: ``FileSystemError``.
    func readNow(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int?

    /// Writes up to all of the bytes, and extends the file if it is too short.
    ///
    /// - Returns: How many bytes were written; may be fewer than requested.
    /// - Throws: ``FileSystemError``; `EINTR` if a signal interrupted the call.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int

    /// Reserves space for `count` bytes from `offset` on, so that a write there can't fail for lack of space.
    ///
    /// Extends the file if it is shorter. New bytes read as zeros; existing bytes are kept.
    ///
    /// - Throws: ``FileSystemError``; `EOPNOTSUPP` if the file system does not support it.
    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError)

    /// Truncates the file to `size` bytes, or extends it with zeros without reserving space for them.
    ///
    /// - Throws: ``FileSystemError``.
    func truncate(to size: UInt64) throws(FileSystemError)

    /// Makes everything written to the file durable.
    ///
    /// Never retry it. After an error the system may have dropped the data that it could not write. A second call that
    /// succeeds does not prove that this data is durable.
    ///
    /// - Throws: ``FileSystemError``.
    func sync(_ kind: SyncKind) throws(FileSystemError)

    /// Maps the first `count` bytes as readable memory, for as long as the mapping is referenced. The mapping stays
    /// valid after `close()`. Don't write to the file while it is mapped. O(1).
    ///
    /// - Parameter count: At most the size of the file.
    /// - Returns: The mapping; nil if mappings are not supported.
    /// - Throws: ``FileSystemError``.
    func map(_ count: UInt64) throws(FileSystemError) -> (any FileMapping)?

    /// Maps the first `count` bytes as writable memory; they may extend past the end of the file. A store to this
    /// memory is in the file at once, even if the process dies. O(1).
    ///
    /// - Returns: The mapping; nil if a store could fail for lack of space, or if the file system is not known to keep
    ///   allocated blocks in place.
    /// - Throws: ``FileSystemError``.
    func mapForWriting(_ count: UInt64) throws(FileSystemError) -> (any WritableMapping)?

    /// Starts writing a part of the file to the disk, so that a later sync has less to do. With `waiting`, returns when
    /// the writes that were started earlier have ended. Makes nothing durable. Reports no errors: the sync does.
    func startWriteback(from offset: UInt64, count: UInt64, waiting: Bool)

    /// Asks the system to drop its cached pages of the file that are already on the disk, so that the next reads come
    /// from the disk if possible.
    func forgetCache()

    /// Whether the file still has a name, in any directory. False after it was removed or replaced. O(1).
    ///
    /// - Throws: ``FileSystemError``.
    func isLinked() throws(FileSystemError) -> Bool

    /// Whether the path leads to this file, in the file system that opened it. False if it leads to another file or to
    /// none. O(length of the path).
    ///
    /// - Throws: ``FileSystemError`` if that can't be determined.
    func isAt(_ path: String) throws(FileSystemError) -> Bool

    /// Finds the next part of the file that may contain bytes other than zeros. The bytes from `offset` to the start of
    /// that part read as zeros. The bytes after its end are unknown.
    ///
    /// If another thread writes into a hole at the same time, the new part may or may not be seen. Usually O(1).
    ///
    /// - Returns: A part that ends after `offset`, and starts there or later; nil if only zeros follow.
    /// - Throws: ``FileSystemError``.
    func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>?

    /// Closes the file. Does nothing the second time.
    ///
    /// A call that begins later throws `EBADF`. A call in progress continues normally. The file is also closed when its
    /// last reference is released, but then errors are not reported.
    func close() throws(FileSystemError)
}

extension File {
    /// The default: nil, as if every read had to wait.
    package func readNow(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(FileSystemError) -> Int? { nil }

    /// The default: no mappings.
    package func map(_ count: UInt64) throws(FileSystemError) -> (any FileMapping)? { nil }

    /// The default: no writable mappings.
    package func mapForWriting(_ count: UInt64) throws(FileSystemError) -> (any WritableMapping)? { nil }

    /// The default: one part up to the end of the file.
    package func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>? {
        let size = try size()
        return offset < size ? offset..<size : nil
    }

    /// The default: does nothing.
    package func startWriteback(from offset: UInt64, count: UInt64, waiting: Bool) {}

    /// The default: does nothing.
    package func forgetCache() {}

    /// The default: true.
    package func isLinked() throws(FileSystemError) -> Bool { true }

    /// The default: true.
    package func isAt(_ path: String) throws(FileSystemError) -> Bool { true }
}

/// The bytes of a file as memory. Valid while this object is referenced.
package protocol FileMapping: AnyObject, Sendable {
    /// The bytes. Access may block on the disk. If the disk fails, or the file was truncated, the system ends the
    /// process.
    var bytes: UnsafeRawBufferPointer { get }
}

/// The bytes of a file as writable memory. Valid while this object is referenced, also after the file's `close()`.
///
/// Access only populated parts. Elsewhere the system may end the process.
package protocol WritableMapping: AnyObject, Sendable {
    /// The memory. Its users must coordinate who writes where.
    var memory: UnsafeMutableRawBufferPointer { get }

    /// Brings a part into memory and keeps it there, as far as the process may, so that a store there neither fails nor
    /// waits for the disk. The file must have the part, with space allocated for it. O(pages).
    ///
    /// - Throws: ``FileSystemError``.
    func populate(_ range: Range<UInt64>) throws(FileSystemError)

    /// Releases the memory up to an offset. Nothing may be stored there later. The system takes a long time to write
    /// pages to the disk while they are mapped, because it must notify every processor of each page.
    func release(before end: UInt64)

    /// Whether ``stored(_:)`` must be called. Constant.
    var isWatched: Bool { get }

    /// Reports each part that was stored to, in the order of the stores, to code that simulates the operating system.
    func stored(_ range: Range<UInt64>)
}

extension WritableMapping {
    /// The default: does nothing.
    package func release(before end: UInt64) {}

    /// The default: false.
    package var isWatched: Bool { false }

    /// The default: does nothing.
    package func stored(_ range: Range<UInt64>) {}
}
