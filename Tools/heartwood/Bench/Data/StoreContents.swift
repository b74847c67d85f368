internal import Heartwood
internal import HeartwoodConcurrency

/// What a store must contain after a figure was measured.
struct StoreContents: Sendable {
    let keys: Int
    /// The number of the value of a key; nil if the key must be absent.
    let value: @Sendable (_ key: Int) -> Int?

    /// The keys from 0 to `count`, exclusive; each has the value with its own number.
    static func numbered(_ count: Int) -> StoreContents {
        StoreContents(keys: count) { $0 < count ? $0 : nil }
    }

    /// Opens the store and compares every record.
    ///
    /// - Throws: ``Mismatch``, `StoreError`, ``BenchStopped``.
    func check(_ path: String, _ values: BenchValues, _ figure: BenchFigure) async throws {
        try await Store.withStore(at: path, configuration: .forBench()) { store in
            try await BlockingPool.run { try compare(store, values, figure) }
        }
    }

    private func compare(_ store: Store, _ values: BenchValues, _ figure: BenchFigure) throws {
        var count = 0
        try store.scan().forEach { key, value in
            count += 1
            if count % 4096 == 0 { try BenchStopped.check() }
            let number = key.withUnsafeBytes { BenchKey.number(of: $0) }
            guard let number, let expected = self.value(number) else {
                throw Mismatch(figure, "there is a key that was never written")
            }
            guard value.withUnsafeBytes({ values.isValue($0, of: expected) }) else {
                throw Mismatch(figure, "the value of key number \(number) is not the one that was written")
            }
            return .next
        }
        let counted = store.statistics.keys
        // No key occurs twice. So if the count is right, none is missing.
        guard count == keys, counted == keys else {
            throw Mismatch(
                figure, "\(keys) keys were written, \(count) were read back, and the store counts \(counted)")
        }
    }
}

/// What was read back differs from what was written.
struct Mismatch: Error {
    let figure: BenchFigure
    let what: String

    init(_ figure: BenchFigure, _ what: String) {
        self.figure = figure
        self.what = what
    }

    /// The error with which the command ends.
    var failure: Failure {
        Failure(
            .mismatch,
            "\(figure.title): \(what): check the disk's hardware and the kernel's log before you use this disk, and "
                + "report it if they are sound")
    }
}
