internal import Foundation

/// The system calls that the tool itself makes. It never uses them on the files of a store.
struct FileDescriptor {
    let number: Int32

    static let standardInput = FileDescriptor(number: 0)
    static let standardOutput = FileDescriptor(number: 1)
    static let standardError = FileDescriptor(number: 2)

    static func openForReading(_ path: String) throws(SystemError) -> FileDescriptor { try open(path, O_RDONLY) }

    /// - Parameter mode: That of a file that is created.
    static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) throws(SystemError) -> FileDescriptor {
        while true {
            let number = Foundation.open(path, flags | O_CLOEXEC, mode)
            if number >= 0 { return FileDescriptor(number: number) }
            if errno != EINTR { throw SystemError(code: errno) }
        }
    }

    /// Reads what is available, up to the size of `buffer`; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = Foundation.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw SystemError(code: errno) }
        }
    }

    /// Writes all bytes, however many calls it takes.
    func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[start...])
                return Foundation.write(number, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                start += count
            } else if errno != EINTR {
                throw SystemError(code: errno)
            }
        }
    }

    /// Waits until a read would not block, for at most `milliseconds`.
    func isReadable(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) > 0
    }

    /// The size of a regular file; nil for anything else (a pipe, a terminal, a device).
    var sizeOfRegularFile: Int? {
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Whether it is a directory, which can be opened but not read.
    var isDirectory: Bool {
        var status = stat()
        return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a path ends in a symbolic link, even if its target doesn't exist.
    static func isSymbolicLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    var isTerminal: Bool { isatty(number) == 1 }

    /// The width of the terminal in columns; nil if it isn't one.
    var columns: Int? {
        var size = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    func close() { _ = Foundation.close(number) }
}

/// The error of a system call.
struct SystemError: Error {
    let code: Int32

    /// The system's message, such as "No space left on device", with a lower-case first letter.
    var text: String {
        let words = String(cString: strerror(code))
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}

extension SystemError {
    /// Whether access was denied, or the disk is mounted read-only.
    var isPermission: Bool { code == EACCES || code == EPERM || code == EROFS }

    /// Whether the process or the system has too many files open.
    var isTooManyFiles: Bool { code == EMFILE || code == ENFILE }
}
