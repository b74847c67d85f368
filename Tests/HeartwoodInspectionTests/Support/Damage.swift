import HeartwoodCampaignSupport
import HeartwoodFormat
import HeartwoodTesting

/// A way to damage the bytes of a file.
enum DamageKind: String, CaseIterable, Sendable {
    case bitFlip, zeroedSector, garbageSector, truncation, duplicatedBlock

    func damage(_ bytes: [UInt8], at offset: Int, _ random: inout SeededRandom) -> [UInt8] {
        var damaged = bytes
        let sector = offset / 512 * 512..<min(offset / 512 * 512 + 512, bytes.count)
        switch self {
        case .bitFlip: damaged[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .zeroedSector: for index in sector { damaged[index] = 0 }
        case .garbageSector: for index in sector { damaged[index] = UInt8.random(in: 0...255, using: &random) }
        case .truncation: damaged.removeLast(bytes.count - offset)
        case .duplicatedBlock:
            let sectors = (0..<(bytes.count / 512)).filter { $0 != offset / 512 }
            guard let other = sectors.randomElement(using: &random) else { return bytes }
            for index in sector { damaged[index] = bytes[min(other * 512 + index % 512, bytes.count - 1)] }
        }
        return damaged
    }
}

/// A location in a log file.
enum DamageLocation: String, CaseIterable, Sendable {
    case header, commitHeader, recordHeader, key, value, padding, lastMark

    /// An offset in a file of this layout; nil if it has no such location.
    func offset(in layout: FileLayout, _ random: inout SeededRandom) -> Int? {
        let commits = layout.commits.filter { !$0.records.isEmpty }
        let commit = commits.randomElement(using: &random)
        let record = commit?.records.randomElement(using: &random)
        switch self {
        case .header: return Int.random(in: 0..<4096, using: &random)
        case .commitHeader: return commit.map { $0.part.lowerBound + Int.random(in: 0..<48, using: &random) }
        case .recordHeader: return record.map { $0.part.lowerBound + Int.random(in: 0..<32, using: &random) }
        case .key: return record.map { $0.part.lowerBound + 32 + Int.random(in: 0..<$0.keyLength, using: &random) }
        case .value:
            guard let record, record.valueLength > 0 else { return nil }
            return record.part.lowerBound + 32 + record.keyLength
                + Int.random(in: 0..<record.valueLength, using: &random)
        case .padding:
            let padded = commits.flatMap(\.records).filter { ($0.keyLength + $0.valueLength) % 8 != 0 }
            return padded.randomElement(using: &random).map { $0.part.upperBound - 1 }
        case .lastMark:
            guard let last = layout.commits.last, last.records.isEmpty else { return nil }
            return last.part.lowerBound + Int.random(in: 0..<48, using: &random)
        }
    }
}

/// Which bytes of a file differ or are missing.
func changedBytes(_ before: [UInt8], _ after: [UInt8]) -> (first: Int, isChanged: (Range<Int>) -> Bool)? {
    var changed: [Int] = []
    // Few bytes differ, and a debug build compares single ones slowly.
    let block = 256
    for start in stride(from: 0, to: before.count, by: block) {
        let part = start..<min(start + block, before.count)
        if part.upperBound <= after.count, before[part] == after[part] { continue }
        for index in part where index >= after.count || before[index] != after[index] { changed.append(index) }
    }
    guard let first = changed.first else { return nil }
    return (first, { part in changed.contains { part.contains($0) } })
}
