internal import Foundation

/// A blocking connection that sends several commands at once, and then reads their replies.
final class RedisConnection {
    enum Reply {
        case number(Int)
        case text(ArraySlice<UInt8>)
        case null
    }

    private let descriptor: Int32
    private var request: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var (start, end) = (0, 0)

    init(_ path: String) throws {
        descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw EngineFailure("Redis", "connect failed: \(errno)")
        }
    }

    deinit { close(descriptor) }

    /// Adds a command to those that are sent next.
    func add(_ words: [ArraySlice<UInt8>]) {
        request += Array("*\(words.count)\r\n".utf8)
        for word in words {
            request += Array("$\(word.count)\r\n".utf8)
            request += word
            request += [13, 10]
        }
    }

    func send() throws {
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes { write(descriptor, $0.baseAddress! + sent, $0.count - sent) }
            guard count > 0 else { throw EngineFailure("Redis", "write failed: \(errno)") }
            sent += count
        }
        request.removeAll(keepingCapacity: true)
    }

    /// The reply to the next command.
    func reply() throws -> Reply {
        let line = try line()
        let rest = String(decoding: line.dropFirst(), as: UTF8.self)
        switch line.first {
        case UInt8(ascii: ":"): return .number(Int(rest) ?? -1)
        case UInt8(ascii: "$"):
            guard let count = Int(rest), count >= 0 else { return .null }
            while end - start < count + 2 { try read() }
            defer { start += count + 2 }
            return .text(buffer[start..<start + count])
        case UInt8(ascii: "+"): return .text(Array(rest.utf8)[...])
        default: throw EngineFailure("Redis", String(decoding: line, as: UTF8.self))
        }
    }

    private func line() throws -> [UInt8] {
        while true {
            if let position = buffer[start..<end].firstIndex(of: 13), position + 1 < end {
                defer { start = position + 2 }
                return Array(buffer[start..<position])
            }
            try read()
        }
    }

    private func read() throws {
        if start > 0 {
            buffer.replaceSubrange(0..<end - start, with: Array(buffer[start..<end]))
            (start, end) = (0, end - start)
        }
        if end == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
        let count = buffer.withUnsafeMutableBytes {
            Foundation.read(descriptor, $0.baseAddress! + end, $0.count - end)
        }
        guard count > 0 else { throw EngineFailure("Redis", "the server has closed the connection") }
        end += count
    }
}
