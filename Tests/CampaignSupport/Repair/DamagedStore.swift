internal import HeartwoodFormat
package import HeartwoodTesting

/// The damaged files of a history, and the original file of each.
package struct DamagedStore: Sendable {
    package let history: RepairHistory
    package private(set) var image: DirectoryImage
    /// The original names by the present names; without files of another store.
    package private(set) var origins: [String: String]
    /// The damage in words.
    package private(set) var log: [String] = []
    package private(set) var kinds: [DamageKind] = []
    /// Whether some damage has valid checksums.
    package var isForged: Bool { kinds.contains(.forged) }

    /// Changes a file and makes its checksums valid.
    package typealias Forgery = @Sendable (inout [UInt8], inout SeededRandom) -> Void

    package init(_ history: RepairHistory) {
        self.history = history
        image = history.image
        origins = Dictionary(uniqueKeysWithValues: history.files.keys.map { ($0, $0) })
    }

    /// The segments and snapshots of the store.
    package var own: [String] { origins.keys.sorted() }

    /// Damages the files.
    mutating func damage(_ kind: DamageKind, _ random: inout SeededRandom, _ forgery: Forgery) {
        guard let name = target(kind, &random), let bytes = image.files[name] else { return }
        let before = log.count
        switch kind {
        case .removed:
            image.files[name] = nil
            origins[name] = nil
            note(kind, name, "")
        case .renamed: rename(name, &random)
        case .swapped:
            guard let other = random.element(of: own.filter { $0 != name }) else { return }
            image.files[name] = image.files[other]
            image.files[other] = bytes
            (origins[name], origins[other]) = (origins[other], origins[name])
            note(kind, name, "with \(other)")
        case .olderSelf:
            guard let older = random.element(of: history.earlier[origins[name] ?? ""] ?? []) else { return }
            image.files[name] = older
            note(kind, name, "of \(older.count) bytes")
        case .copyOfAnother:
            guard let other = random.element(of: own.filter { $0 != name }) else { return }
            image.files[name] = image.files[other]
            origins[name] = origins[other]
            note(kind, name, "by \(other)")
        case .foreignFile:
            guard let other = random.element(of: history.foreign) else { return }
            image.files[name] = other
            origins[name] = nil
            note(kind, name, "")
        case .lock:
            image.files[StoreFileName.lockName] = Self.garbage(random.pick([0, 1, 12, 5_000]), &random)
            note(kind, StoreFileName.lockName, "")
        case .temporary:
            let name = random.pick([StoreFileName.spareName, StoreFileName.newSnapshotName, "x.log.tmp"])
            let copy = random.oneIn(2) ? Array(bytes.prefix(random.below(bytes.count + 1))) : nil
            image.files[name] = copy ?? Self.garbage(random.pick([0, 4_096, 5_000]), &random)
            note(kind, name, "")
        case .forged:
            var forged = bytes
            forgery(&forged, &random)
            image.files[name] = forged
            note(kind, name, "")
        default:
            let file = origins[name].flatMap { history.files[$0] }
            var change = ByteDamage(bytes: bytes, file: file)
            change.run(kind, &random) {
                random in random.element(of: own).flatMap { image.files[$0] } ?? []
            }
            image.files[name] = change.bytes
            note(kind, name, change.note)
        }
        if log.count > before { kinds.append(kind) }
    }

    private mutating func note(_ kind: DamageKind, _ name: String, _ detail: String) {
        log.append("\(name): \(kind.rawValue)\(detail.isEmpty ? "" : " \(detail)")")
    }

    /// The file to damage. Snapshots are chosen more often than segments, of which there are more.
    private func target(_ kind: DamageKind, _ random: inout SeededRandom) -> String? {
        // With covered files, which replace a forged file or are compared with it, the verdicts may differ.
        if kind == .forged, history.files.values.contains(where: \.isCovered) { return nil }
        let names = own
        let snapshots = names.filter { $0.hasSuffix(".snapshot") }
        if !snapshots.isEmpty, random.oneIn(3) { return random.pick(snapshots) }
        if random.oneIn(3) { return names.last { $0.hasSuffix(".log") } }
        return random.element(of: names)
    }

    private mutating func rename(_ name: String, _ random: inout SeededRandom) {
        let suffix = name.hasSuffix(".log") ? ".log" : ".snapshot"
        let number = UInt64(name.prefix(16), radix: 16) ?? 1
        let numbers = [number &+ 1, number &- 1, number &+ 1 << 32, UInt64(random.below(500)), 1]
        let digits = StoreFileName.log(random.pick(numbers)).prefix(16)
        let new = digits + suffix
        guard new != name, image.files[String(new)] == nil else { return }
        image.files[String(new)] = image.files[name]
        image.files[name] = nil
        origins[String(new)] = origins[name]
        origins[name] = nil
        note(.renamed, name, "to \(new)")
    }

    static func garbage(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    // MARK: - Undamaged parts

    /// The names of the store's files whose header is unchanged.
    var soundHeaders: Set<String> {
        Set(
            origins.filter { name, origin in
                guard let file = history.files[origin] else { return false }
                return isWhole(0..<min(4_096, file.bytes.count), of: file.bytes, in: name)
            }.keys)
    }

    /// Whether a part of an original file is unchanged in the present file `name`.
    func isWhole(_ part: Range<Int>, of original: [UInt8], in name: String) -> Bool {
        guard let bytes = image.files[name], part.upperBound <= bytes.count else { return false }
        return original.withUnsafeBytes { original in
            bytes.withUnsafeBytes { bytes in
                UnsafeRawBufferPointer(rebasing: original[part]).elementsEqual(
                    UnsafeRawBufferPointer(rebasing: bytes[part]))
            }
        }
    }
}

extension SeededRandom {
    package mutating func element<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : pick(elements)
    }
}
