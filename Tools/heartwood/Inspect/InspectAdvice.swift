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
                "Nothing is lost that was acknowledged as synced: such a tail is what a crash leaves, and the next "
                    + "opening passes it over. Just use the store."
            ]
        case .corrupt:
            var lines = ["Copy it first, as it is, to another disk: cp -a \(path) COPY. Work on the copy."]
            if survey.isFile {
                lines.append("Look at the store as a whole: 'heartwood inspect' with its directory.")
            } else if survey.opens {
                lines.append(
                    "The store opens all the same, and nothing that it needs is damaged. "
                        + "'heartwood compact \(path)' writes all live data to a new file and drops the damaged one.")
            } else {
                lines.append(
                    "If you have a backup, compare: what is said to be lost above is all that it has to give. "
                        + "Otherwise 'heartwood repair' brings what verifies into a new store, "
                        + "and names what it can't.")
            }
            lines.append(
                "Look at the disk (dmesg, smartctl -a) and the memory before you trust the machine again: a crash "
                    + "doesn't do this.")
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
        "If a program has it open, this is as it should be. Otherwise its process was killed, or the machine went "
        + "down: the next opening goes on with all of this."
}
