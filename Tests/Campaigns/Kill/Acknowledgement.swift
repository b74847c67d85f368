internal import Heartwood

/// A message of a child to its parent: one line, sent by one write to a pipe and therefore complete or absent.
enum ChildMessage {
    /// The store is open.
    case opened
    /// An operation has returned.
    case acknowledged(Acknowledgement)
    /// The child found an error.
    case failed(String)

    /// The line, with its newline.
    var line: String {
        switch self {
        case .opened: "o\n"
        case .acknowledged(let one): "a \(one.writer) \(one.number) \(one.sequence)\n"
        case .failed(let what): "! \(what.split(separator: "\n").joined(separator: " ").prefix(3000))\n"
        }
    }

    /// Parses a line without its newline.
    init?(line: ArraySlice<UInt8>) {
        guard let kind = line.first else { return nil }
        switch kind {
        case UInt8(ascii: "o"): self = .opened
        case UInt8(ascii: "!"): self = .failed(String(decoding: line.dropFirst(2), as: UTF8.self))
        case UInt8(ascii: "a"):
            var numbers: [UInt64] = []
            var current: UInt64 = 0
            for byte in line.dropFirst(2) {
                if byte == UInt8(ascii: " ") {
                    numbers.append(current)
                    current = 0
                } else {
                    current = current &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
                }
            }
            guard numbers.count == 2 else { return nil }
            self = .acknowledged(
                Acknowledgement(writer: Int(numbers[0]), number: Int(numbers[1]), sequence: current))
        default: return nil
        }
    }
}

/// An operation that has returned, with its sequence number.
struct Acknowledgement: Sendable {
    var writer: Int
    var number: Int
    var sequence: SequenceNumber
}
