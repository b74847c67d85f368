/// The effect of one changed byte.
enum DamageClass: String, Sendable, CaseIterable {
    case refused, harmless, lost, wrong, crashed, hung
    /// As lost, but the opening's report says so.
    case lostAndReported
}

extension DamageResult {
    init(_ classes: [DamageClass]) {
        func count(_ wanted: DamageClass) -> Int { classes.count { $0 == wanted } }
        self.init(
            changes: classes.count, refused: count(.refused), harmless: count(.harmless),
            lost: count(.lost) + count(.lostAndReported), wrong: count(.wrong), crashed: count(.crashed),
            hung: count(.hung), lostButTold: count(.lostAndReported))
    }
}
