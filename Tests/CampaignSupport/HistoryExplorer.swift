package import HeartwoodTesting

/// Does histories, and judges what crashes leave of them.
package protocol HistoryExplorer: AnyObject, SendableMetatype {
    associatedtype Totals: HistoryTotals
    /// What the disk after a crash is judged by.
    associatedtype Evidence: Codable & Sendable

    init()

    var result: HistoryResult<Totals> { get }

    /// Does a history and judges its crashes.
    ///
    /// - Parameters:
    ///   - states: The maximum number of states for each point of the history.
    ///   - progress: Gets the number of new images; ends the exploration by returning false.
    /// - Throws: `HistoryFailure<Evidence>`.
    func explore(seed: UInt64, states: Int, progress: (Int) -> Bool) async throws

    /// Judges a kept image.
    func judge(_ image: DiskImage, _ evidence: Evidence) async throws
}

/// Numbers of what was done.
package protocol HistoryTotals: Sendable {
    init()

    static func += (sum: inout Self, other: Self)
}

/// What an explorer has done.
package struct HistoryResult<Totals: HistoryTotals>: Sendable {
    package var totals = Totals()
    /// The different images, by fingerprint.
    package var images: Set<UInt64> = []

    package init() {}

    package static func += (sum: inout HistoryResult, other: HistoryResult) {
        sum.totals += other.totals
        sum.images.formUnion(other.images)
    }
}

/// A crash that breaks a promise.
package struct HistoryFailure<Evidence: Sendable>: Error, CustomStringConvertible {
    package let seed: UInt64
    /// The crash of the run, and those after it.
    package let path: [CrashState]
    package let cause: any Error
    /// What the last crash left, and what it is judged by; nil if the run itself failed.
    package let left: (image: DiskImage, evidence: Evidence)?
    package let lastCalls: [DiskCall]

    package var description: String { "seed \(seed): \(cause)" }
}
