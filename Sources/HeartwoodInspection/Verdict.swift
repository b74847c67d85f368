internal import HeartwoodFiles

/// What a store, or a file, is worth on the whole.
public enum Verdict: String, Sendable, CaseIterable, Comparable {
    /// All that is there verifies, and nothing is known to be missing.
    case clean
    /// As after a crash: a tail that was never known to be durable is passed over.
    case torn
    /// Something that was durable is damaged or missing.
    case corrupt
    /// Written by a newer version of Heartwood.
    case unsupported
    /// Something could not be read.
    case unreadable

    /// By how bad it is.
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
