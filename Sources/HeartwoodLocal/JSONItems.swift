/// The items of a JSON array, as they are in its bytes.
///
/// It finds only where each item begins and ends. Whether an item is valid JSON shows when it is decoded: what is split
/// at the wrong place doesn't decode.
enum JSONItems {
    /// The items, without the white space around them. O(bytes).
    ///
    /// - Returns: Nil if these aren't the bytes of one array in UTF-8.
    static func ranges(in bytes: [UInt8]) -> [Range<Int>]? {
        var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        skipSpace(bytes, &at)
        guard at < bytes.count, bytes[at] == UInt8(ascii: "[") else { return nil }
        at += 1
        var ranges: [Range<Int>] = []
        while true {
            skipSpace(bytes, &at)
            let start = at
            guard let end = end(ofItemAt: start, in: bytes) else { return nil }
            let isLast = bytes[end] == UInt8(ascii: "]")
            at = end + 1
            let item = trimmed(start..<end, bytes)
            if !item.isEmpty {
                ranges.append(item)
            } else if !isLast || !ranges.isEmpty {
                return nil
            }
            if isLast { break }
        }
        skipSpace(bytes, &at)
        return at == bytes.count ? ranges : nil
    }

    /// The comma or bracket after an item; nil if there is none.
    private static func end(ofItemAt start: Int, in bytes: [UInt8]) -> Int? {
        var (at, depth, isText) = (start, 0, false)
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\\") where isText: at += 1
            case UInt8(ascii: "\""): isText.toggle()
            case _ where isText: break
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]") where depth == 0, UInt8(ascii: ",") where depth == 0: return at
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            at += 1
        }
        return nil
    }

    private static func skipSpace(_ bytes: [UInt8], _ at: inout Int) {
        while at < bytes.count, isSpace(bytes[at]) { at += 1 }
    }

    private static func trimmed(_ range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
        var end = range.upperBound
        while end > range.lowerBound, isSpace(bytes[end - 1]) { end -= 1 }
        return range.lowerBound..<end
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
