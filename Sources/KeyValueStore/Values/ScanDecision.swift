/// Whether a synchronous scan continues.
public enum ScanDecision: Sendable, Hashable {
    /// Continue with the next entry.
    case next
    /// Stop the scan.
    case stop
}
