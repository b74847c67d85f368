/// An open file.
///
/// Every method is one system call: it may do less than it was asked for, and be interrupted. Use ``readFully(into:at:)``
/// and its kin where that is not wanted. Any number of threads may use a file at the same time.
///
/// Offsets and counts are in bytes.
public protocol File: AnyObject, Sendable {
    /// The path under which the file was opened; it may have another name since.
    var path: String { get }

    /// The size in bytes.
    func size() throws(FileSystemError) -> UInt64

    /// Reads up to as many bytes as the buffer holds.
    ///
    /// - Returns: How many bytes were read: fewer than asked for at any whim of the system, 0 only at the end of the
    ///   file (or for an empty buffer).
    /// - Throws: ``FileSystemError``; `EINTR` where a signal came first.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int

    /// Writes up to all of the bytes, extending the file where it is too short.
    ///
    /// - Returns: How many bytes were written, which may be fewer.
    /// - Throws: ``FileSystemError``; `EINTR` where a signal came first.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int

    /// Reserves room for `count` bytes from `offset` on, so that writing there can't run out of space.
    ///
    /// Extends the file where it is shorter. What is new reads as zeros; what was there stays.
    ///
    /// - Throws: ``FileSystemError``; `EOPNOTSUPP` where the file system has no such operation.
    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError)

    /// Cuts the file to `size` bytes, or extends it by zeros without reserving room for them.
    func truncate(to size: UInt64) throws(FileSystemError)

    /// Makes what was written durable.
    ///
    /// Never to be retried: after an error the system may have dropped what it could not write, and a second call
    /// that succeeds says nothing about it.
    func sync(_ kind: SyncKind) throws(FileSystemError)

    /// Makes the first `count` bytes readable as memory, for as long as the mapping is kept. Nil where there are no
    /// mappings. It stays valid after `close()`; nothing is to be written to the file while it is mapped. O(1).
    ///
    /// - Parameter count: No more than the file has.
    /// - Throws: ``FileSystemError``.
    func map(_ count: UInt64) throws(FileSystemError) -> (any FileMapping)?

    /// Makes the first `count` bytes writable as memory, whether the file has them already or not. What is stored there is in
    /// the file at once, whatever becomes of the process. Nil where storing could fail for want of space, or the file system
    /// is not known to keep what it has allocated in place. O(1).
    ///
    /// - Throws: ``FileSystemError``.
    func mapForWriting(_ count: UInt64) throws(FileSystemError) -> (any WritableMapping)?

    /// Starts bringing a part of the file to the disk, so that a later sync has less to do. With `waiting`, returns once
    /// what was started before is there. Makes nothing durable, and fails in silence: the sync tells.
    func startWriteback(from offset: UInt64, count: UInt64, waiting: Bool)

    /// Lets the system forget what it keeps of the file in memory, as far as it is on the disk: what is read next comes
    /// from there, as far as the system can do that.
    func forgetCache()

    /// Whether the file still has a name, in whatever directory: false once it was removed or replaced. O(1).
    ///
    /// - Throws: ``FileSystemError``.
    func isLinked() throws(FileSystemError) -> Bool

    /// Whether the path leads to this file, and not to another one or to none. O(length of the path).
    ///
    /// - Throws: ``FileSystemError`` where that can't be determined.
    func isAt(_ path: String) throws(FileSystemError) -> Bool

    /// The next part of the file that may hold something other than zeros: the bytes from `offset` to its start read as
    /// zeros, and nothing is said of those after its end. Nil where only zeros follow.
    ///
    /// What a writer adds to a hole at the same time may or may not be seen. O(1), as a rule.
    ///
    /// - Returns: A part that ends after `offset`, and starts there or later.
    /// - Throws: ``FileSystemError``.
    func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>?

    /// Closes the file. Does nothing the second time.
    ///
    /// Any use that begins afterwards throws `EBADF`; one that is under way ends undisturbed. A file whose last
    /// reference goes is closed too, but then nobody hears of errors.
    func close() throws(FileSystemError)
}

extension File {
    /// Files can't be mapped, unless they say otherwise.
    public func map(_ count: UInt64) throws(FileSystemError) -> (any FileMapping)? { nil }

    /// Files can't be mapped, unless they say otherwise.
    public func mapForWriting(_ count: UInt64) throws(FileSystemError) -> (any WritableMapping)? { nil }

    /// All bytes exist, unless the file says otherwise.
    public func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>? {
        let size = try size()
        return offset < size ? offset..<size : nil
    }

    /// Nothing is started, unless the file says otherwise.
    public func startWriteback(from offset: UInt64, count: UInt64, waiting: Bool) {}

    /// Nothing is forgotten, unless the file says otherwise.
    public func forgetCache() {}

    /// True, unless the file says otherwise.
    public func isLinked() throws(FileSystemError) -> Bool { true }

    /// True, unless the file says otherwise.
    public func isAt(_ path: String) throws(FileSystemError) -> Bool { true }
}

/// The bytes of a file as memory, as long as there is a reference to this.
public protocol FileMapping: AnyObject, Sendable {
    /// The bytes. To touch them may block on the disk; where the disk fails, or the file was cut short, the system ends
    /// the process.
    var bytes: UnsafeRawBufferPointer { get }
}

/// The bytes of a file as memory that is written to, as long as there is a reference to this. It stays valid after the file's
/// `close()`.
///
/// Only what was populated is to be touched: elsewhere the system may end the process.
public protocol WritableMapping: AnyObject, Sendable {
    /// The memory. Who writes where is for its users to see to.
    var memory: UnsafeMutableRawBufferPointer { get }

    /// Brings a part into memory, so that storing there neither fails nor waits for the disk, and keeps it there as far as the
    /// process may. The file has the part, and room for it was allocated. O(pages).
    ///
    /// - Throws: ``FileSystemError``.
    func populate(_ range: Range<UInt64>) throws(FileSystemError)

    /// Lets go of the memory before an offset, where nothing is stored any more. The system takes a long time to write pages to
    /// the disk that are still mapped: it has to tell every processor of each.
    func release(before end: UInt64)

    /// Whether ``stored(_:)`` is to be called. A constant.
    var isWatched: Bool { get }

    /// Tells whoever stands in for the operating system of each part that was stored to, in the order in which that was done.
    func stored(_ range: Range<UInt64>)
}

extension WritableMapping {
    /// Nothing is let go.
    public func release(before end: UInt64) {}

    /// Nobody wants to know.
    public var isWatched: Bool { false }

    /// Does nothing.
    public func stored(_ range: Range<UInt64>) {}
}
