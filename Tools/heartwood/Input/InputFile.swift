/// The file, or standard input, that `load` reads.
final class InputFile: Sendable {
    /// The name in messages.
    let name: String
    /// The size in bytes; nil if it isn't a regular file.
    let size: Int?
    private let descriptor: FileDescriptor

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/noInput`` or ``ExitStatus/permission``.
    init(path: String) throws(Failure) {
        if path == "-" {
            descriptor = .standardInput
            name = "standard input"
        } else {
            do {
                descriptor = try .openForReading(path)
            } catch {
                if error.isTooManyFiles {
                    throw Failure(
                        .tryLater, "\(path) can't be opened (\(error.text)): raise the limit with 'ulimit -n'")
                }
                let status = error.isPermission ? ExitStatus.permission : .noInput
                throw Failure(status, "\(path) can't be opened (\(error.text)): give the path of a file, or '-'")
            }
            name = path
        }
        if descriptor.isDirectory {
            throw Failure(.noInput, "\(path) is a directory: give the path of a file, or '-' for standard input")
        }
        size = descriptor.sizeOfRegularFile
    }

    deinit {
        if descriptor.number != FileDescriptor.standardInput.number { descriptor.close() }
    }

    /// Reads what is available, up to the size of `buffer`. Returns 0 at the end, and when `isStopped` returns true.
    ///
    /// Waits in steps of a tenth of a second, so that a request to stop is noticed while a pipe is silent.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/inputOutput``.
    func read(into buffer: UnsafeMutableRawBufferPointer, unless isStopped: () -> Bool) throws(Failure) -> Int {
        do {
            repeat {
                if isStopped() { return 0 }
            } while !descriptor.isReadable(within: 100)
            return try descriptor.read(into: buffer)
        } catch {
            throw Failure(
                .inputOutput,
                "\(name) could not be read any further (\(error.text)): what was read before is kept; check its disk")
        }
    }
}
