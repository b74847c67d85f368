#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The system calls that the tool itself makes. It never uses them on the files of a store.
struct FileDescriptor {
    let number: Int32

    static let standardInput = FileDescriptor(number: 0)
    static let standardOutput = FileDescriptor(number: 1)
    static let standardError = FileDescriptor(number: 2)

    /// Opens a file for reading.
    static func openForReading(_ path: String) throws(SystemError) -> FileDescriptor {
        while true {
            let number = open(path, O_RDONLY | O_CLOEXEC)
            if number >= 0 { return FileDescriptor(number: number) }
            if errno != EINTR { throw SystemError(code: errno) }
        }
    }

    /// Reads what is available, up to the size of `buffer`; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            #if canImport(Darwin)
            let count = Darwin.read(number, buffer.baseAddress, buffer.count)
            #elseif canImport(Glibc)
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
            let count = Musl.read(number, buffer.baseAddress, buffer.count)
            #endif
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
                #if canImport(Darwin)
                return Darwin.write(number, rest.baseAddress, rest.count)
                #elseif canImport(Glibc)
                return Glibc.write(number, rest.baseAddress, rest.count)
                #elseif canImport(Musl)
                return Musl.write(number, rest.baseAddress, rest.count)
                #endif
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

    func close() {
        #if canImport(Darwin)
        _ = Darwin.close(number)
        #elseif canImport(Glibc)
        _ = Glibc.close(number)
        #elseif canImport(Musl)
        _ = Musl.close(number)
        #endif
    }
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
