internal import HeartwoodFileSystem

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Memory of this process, and disk use of a directory.
enum ProcessFigures {
    /// Resident bytes; nil where the system has no /proc.
    static var residentBytes: Int? {
        let file = open("/proc/self/statm", O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let fields = buffer[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Bytes that the files of a directory occupy. A file that is deleted meanwhile isn't counted.
    static func diskBytes(of directory: String) -> Int {
        let names = (try? POSIXFileSystem().contents(ofDirectory: directory)) ?? []
        return names.reduce(0) { total, name in
            var status = stat()
            guard stat("\(directory)/\(name)", &status) == 0 else { return total }
            return total + Int(status.st_blocks) * 512
        }
    }
}
