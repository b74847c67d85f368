internal import HeartwoodFiles

/// The overall state of a store or a file.
public enum Verdict: String, Sendable, CaseIterable, Comparable {
    /// Everything verifies, and nothing is known to be missing.
    case clean
    /// As after a crash: an opening skips a tail that was never known to be durable.
    case torn
    /// Durable data is damaged or missing.
    case corrupt
    /// Written by a newer version of Heartwood.
    case unsupported
    /// Something could not be read.
    case unreadable

    /// Orders verdicts from the best to the worst.
    public static func < (left: Verdict, right: Verdict) -> Bool {
        allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }

    init(_ findings: [Finding]) {
        switch findings.map(\.severity).max() ?? .note {
        case .note: self = .clean
        case .torn: self = .torn
        case .corruption: self = .corrupt
        case .unsupported: self = .unsupported
        case .unreadable: self = .unreadable
        }
    }
}
