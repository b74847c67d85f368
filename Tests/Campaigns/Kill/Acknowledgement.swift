internal import HeartwoodCampaignSupport

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
            let numbers = line.dropFirst(2).split(separator: UInt8(ascii: " ")).compactMap {
                UInt64(String(decoding: $0, as: UTF8.self))
            }
            guard numbers.count == 3 else { return nil }
            self = .acknowledged(
                Acknowledgement(writer: Int(numbers[0]), number: Int(numbers[1]), sequence: numbers[2]))
        default: return nil
        }
    }
}
