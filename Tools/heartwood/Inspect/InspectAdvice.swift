internal import HeartwoodInspection

/// What to do next, depending on what was found.
enum InspectAdvice {
    /// Sentences, in the order in which to follow them; empty if there is nothing to do.
    static func lines(_ survey: StoreSurvey) -> [String] {
        let path = InspectWords.text(Array(survey.path.utf8))
        switch survey.verdict {
        case .clean:
            return survey.end == .unclosed && !survey.isFile ? [unclosed] : []
        case .torn:
            return [
                "No write that was acknowledged as synced is lost. A crash leaves such a tail, and the next opening "
                    + "skips it. Use the store as it is."
            ]
        case .corrupt:
            var lines = ["Copy it first, as it is, to another disk: cp -a \(path) COPY. Work on the copy."]
            if survey.isFile {
                lines.append("Inspect the whole store: 'heartwood inspect' with its directory.")
            } else if survey.opens {
                lines.append(
                    "The store still opens, and nothing that it needs is damaged. "
                        + "'heartwood compact \(path)' writes all live data to a new file and drops the damaged one.")
            } else {
                lines.append(
                    "If you have a backup, compare: it can only restore what is reported as lost above. "
                        + "Otherwise 'heartwood repair' writes what verifies to a new store, and lists what is lost.")
            }
            lines.append(
                "Check the disk (dmesg, smartctl -a) and the memory before you trust the machine again: a crash "
                    + "doesn't cause this.")
            return lines
        case .unsupported:
            return ["Use the version of heartwood that wrote it, or a newer one. Nothing says that it is damaged."]
        case .unreadable:
            return [
                "The system refused to read; that says nothing about the data. Check the permissions, then the disk "
                    + "(dmesg), and inspect it again."
            ]
        }
    }

    private static let unclosed =
        "If a program has it open, this is normal. Otherwise its process was killed, or the machine went down: "
        + "the next opening uses all of this."
}
