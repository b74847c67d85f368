internal import Heartwood
internal import HeartwoodFormat
internal import HeartwoodInspection

extension Finding {
    /// `corrupt store/0000000000000001.log at 4144: the log is damaged … (the checksum does not match); write number 7
    /// is lost; keys: a, b`
    func line(_ style: Style, _ names: StoredKeyText) -> String {
        let label = InspectWords.severity(severity)
        let blanks = String(repeating: " ", count: max(0, 7 - label.count))
        return style(label, paint) + blanks + " \(Escaping.text(Array(file.utf8))) at \(offset): "
            + Escaping.line(InspectWords.what(self)) + names.clause(keys, perhaps: perhapsKeys)
    }

    var paint: Style.Paint {
        switch severity {
        case .note: .dim
        case .torn: .yellow
        case .corruption, .unsupported, .unreadable: .red
        }
    }

    func json(_ names: StoredKeyText) -> JSONText {
        var json: JSONText = [
            "severity": String(describing: severity), "file": file, "offset": offset, "length": length, "what": what,
        ]
        if let cause { json.add("cause", cause.description) }
        if let lost {
            json.add("firstLost", lost.lowerBound)
            json.add("lastLost", lost.upperBound)
        }
        json.add("keys", names.json(keys))
        json.add("perhapsKeys", names.json(perhapsKeys))
        json.add("refusesOpening", refusesOpening)
        return json
    }
}

extension Verdict {
    var paint: Style.Paint {
        switch self {
        case .clean: .green
        case .torn: .yellow
        case .corrupt, .unsupported, .unreadable: .red
        }
    }

    /// The exit code of `verify`, `log` and `inspect`.
    var exitStatus: ExitStatus {
        switch self {
        case .clean: .done
        case .torn: .notFound
        case .corrupt: .corruption
        case .unsupported: .unsupported
        case .unreadable: .inputOutput
        }
    }
}

/// Lists of some keys.
extension StoredKeyText {
    private static let longest = 60

    /// `; keys: a, b; perhaps c`. The bytes at the position of a key in a damaged record may themselves be damaged.
    func clause(_ keys: [[UInt8]], perhaps: [[UInt8]]) -> String {
        (keys.isEmpty ? "" : "; keys: \(list(keys))") + (perhaps.isEmpty ? "" : "; perhaps of key \(list(perhaps))")
    }

    private func list(_ keys: [[UInt8]]) -> String {
        keys.map { text($0, columns: Self.longest) }.joined(separator: ", ")
    }

    /// A key in one line, truncated if it is long.
    func text(_ key: [UInt8], columns: Int) -> String {
        let text = parts(key, nil)?.key ?? Escaping.text(Array(key.prefix(4 * columns)))
        return text.count > columns ? String(text.prefix(columns - 1)) + "…" : text
    }

    /// `; keys between a and b`.
    func clause(_ gap: RepairReport.KeyGap) -> String {
        switch (gap.lower, gap.upper) {
        case (let lower?, let upper?): "; keys between \(list([lower])) and \(list([upper]))"
        case (let lower?, nil): "; keys after \(list([lower]))"
        case (nil, let upper?): "; keys before \(list([upper]))"
        case (nil, nil): "; any keys"
        }
    }

    func json(_ keys: [[UInt8]]) -> [JSONText] {
        keys.map { key in
            var json = JSONText()
            json.add("key", key)
            add(key, nil, to: &json)
            return json
        }
    }
}
