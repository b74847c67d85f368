/// Keys that stop existing.
extension ConformanceCheck {
    static let expiry: [ConformanceCheck] = [
        ConformanceCheck("a key without expiry has none, and a written expiry is read back") { store, trial in
            let lifetime = trial.lifetime
            try await store.write(.put("never", ""), .put("after", "", expires: .after(lifetime)))
            try expect(try await trial.expiryTime("never"), is: nil, "a key was put without expiry")
            let moment = try await trial.expiresLater("after")
            try await store.write(.put("at", "", expires: .at(moment)))
            try await trial.forEachReader { reader in
                let page = try await reader.fetchEntries(in: .prefix("at"), limit: 2)
                try expect(page.entries.map(\.expires), is: [moment], "a key was put with an expiry at \(moment)")
                try expect(try await reader.lent("at"), is: page.entries, "a key with an expiry was lent")
            }
            try await store.write(.put("at", ""))
            try expect(try await trial.expiryTime("at"), is: nil, "a key with an expiry was overwritten without")
        },
        ConformanceCheck("the expiries of a batch count from one moment") { store, trial in
            let lifetime = trial.lifetime
            let long = (0..<50).map { WriteBatch.Operation.put("long:\($0)", "", expires: .after(lifetime * 2)) }
            try await store.write(
                [.put("a", "", expires: .after(lifetime))] + long + [.put("z", "", expires: .after(lifetime))])
            let first = try await trial.expiresLater("a")
            try expect(try await trial.expiryTime("z"), is: first, "two keys of a batch expire after the same time")
            for number in [0, 49] {
                try expect(
                    try await trial.expiryTime("long:\(number)"), is: first + lifetime,
                    "two keys of a batch expire after \(lifetime) and twice that")
            }
        },
        ConformanceCheck("a key that is put with an expiry in the past is absent") { store, trial in
            let past = Expiry.at(Timestamp(milliseconds: 1))
            let first = try await store.write(.put("a", "1"))
            let second = try await store.write(.put("a", "2", expires: past), .put("b", "2", expires: past))
            try expect(second > first, "an expired key was put", expected: "a greater number", found: "\(second)")
            try await trial.expectAbsent(["a", "b"])
            try await store.write(.put("b", "3"), if: [.absent("a"), .absent("b")])
            try expect(try await store.text("b"), is: "3", "an expired key was put again")
        },
        ConformanceCheck("an expiry may be at any time") { store, trial in
            let late: [Expiry] = [
                .at(Timestamp(milliseconds: .max)), .after(.seconds(Int64.max)), .after(.seconds(Int64.max) * 10),
            ]
            let early: [Expiry] = [
                .at(Timestamp(milliseconds: 0)), .after(.zero - trial.lifetime), .after(.seconds(Int64.min)),
                .after(.seconds(Int64.min) * 10),
            ]
            try await store.write(late.indices.map { .put("late:\($0)", "", expires: late[$0]) })
            try await store.write(early.indices.map { .put("early:\($0)", "", expires: early[$0]) })
            try await trial.expectAbsent(early.indices.map { "early:\($0)" })
            try expect(
                try await store.contents().map(\.key), is: late.indices.map { bytes("late:\($0)") },
                "keys were put that expire very late")
        },
        ConformanceCheck("a key exists until it expires, and not after", needs: .clock) { store, trial in
            let lifetime = trial.lifetime
            try await store.write(
                .put("a", "1", expires: .after(lifetime)), .put("b", "1"),
                .put("c", "1", expires: .after(lifetime * 4)))
            await trial.advanceClock(by: lifetime / 2)
            try expect(try await store.text("a"), is: "1", "half of a key's lifetime was over")
            await trial.advanceClock(by: lifetime)
            try await trial.expectAbsent(["a"])
            try await trial.forEachReader { reader in
                let page = try await reader.fetchEntries(limit: 3)
                try expect(page.entries.keys, is: ["b", "c"], "one of three keys has expired")
                let reversed = try await reader.fetchEntries(in: .all, reversed: true, limit: 2)
                try expect(reversed.entries.keys, is: ["c", "b"], "one of three keys has expired")
                try expect(try await reader.fetchCount(), is: 2, "one of three keys has expired")
            }
        },
        ConformanceCheck("an overwritten key has the new expiry only", needs: .clock) { store, trial in
            let lifetime = trial.lifetime
            try await store.write(
                .put("kept", "1", expires: .after(lifetime)), .put("longer", "1", expires: .after(lifetime)),
                .put("shorter", "1"))
            try await store.write(
                .put("kept", "2"), .put("longer", "2", expires: .after(lifetime * 4)),
                .put("shorter", "2", expires: .after(lifetime)))
            await trial.advanceClock(by: lifetime * 2)
            try expect(try await store.text("kept"), is: "2", "an expiry was overwritten with none")
            try expect(try await store.text("longer"), is: "2", "an expiry was overwritten with a later one")
            try await trial.expectAbsent(["shorter"])
        },
        ConformanceCheck("a view shows a key that expires later", needs: .clock) { store, trial in
            try await store.write(.put("a", "1", expires: .after(trial.lifetime)), .put("b", "1"))
            let view = try await store.readView()
            await trial.advanceClock(by: trial.lifetime * 2)
            try await store.write(.put("c", "1"))
            try expect(try await view.fetchCount(), is: 2, "a key expired after a view was made")
            try expect(try await view.fetchEntry("a")?.value, is: bytes("1"), "a key expired after a view was made")
        },
        ConformanceCheck("an expired key is absent for conditions", needs: .clock) { store, trial in
            let writes = try await store.write(.put("a", "1", expires: .after(trial.lifetime)), .put("b", "1"))
            try await trial.expectCondition(.absent("a"), holds: false, "a key will expire")
            try await trial.expectCondition(.sequence("a", writes), holds: true, "a key will expire")
            await trial.advanceClock(by: trial.lifetime * 2)
            try await trial.expectCondition(.absent("a"), holds: true, "a key has expired")
            try await trial.expectCondition(.sequence("a", writes), holds: false, "a key has expired")
            try await trial.expectCondition(.sequence("b", writes), holds: true, "another key has expired")
            let again = try await store.write(.put("a", "2"), if: [.absent("a")])
            try await trial.expectCondition(.sequence("a", again), holds: true, "an expired key was put again")
        },
        ConformanceCheck("an expiry isn't a change for conditions", needs: .clock) { store, trial in
            try await store.write(.put("a", "1", expires: .after(trial.lifetime)), .put("b", "1"))
            let view = try await store.readView()
            await trial.advanceClock(by: trial.lifetime * 2)
            try await trial.expectAbsent(["a"])
            try await trial.expectCondition(.unchangedKey("a", since: view), holds: true, "a key has expired")
            try await trial.expectCondition(.unchangedRange(.all, since: view), holds: true, "a key has expired")
            let later = try await store.readView()
            try await store.write(.put("a", "2"))
            for view in [view, later] {
                try await trial.expectCondition(
                    .unchangedKey("a", since: view), holds: false, "an expired key was put again")
                try await trial.expectCondition(
                    .unchangedRange(.all, since: view), holds: false, "an expired key was put again")
            }
        },
    ]
}

extension Trial {
    /// A multiple of the grain, long enough for a check that doesn't advance the clock.
    nonisolated var lifetime: Duration { max(.seconds(3_600), store.limits.expiryGrain * 8) }

    nonisolated func expiryTime(_ key: String) async throws -> Timestamp? {
        try await store.fetchEntry(bytes(key))?.expires
    }

    /// The same; a failure if there is none.
    nonisolated func expiresLater(_ key: String, file: String = #fileID, line: Int = #line) async throws -> Timestamp {
        if let expires = try await expiryTime(key) { return expires }
        throw ConformanceFailure("a key was put with an expiry", expected: "an expiry", found: "none", file, line)
    }

    /// Throws unless no reader has these keys.
    nonisolated func expectAbsent(_ keys: [String], file: String = #fileID, line: Int = #line) async throws {
        try await forEachReader { reader in
            for key in keys.map(bytes) {
                let entry = try await reader.fetchEntry(key)
                try expect(entry, is: nil, "an expired key was read", file: file, line: line)
                let lent = try await reader.lent(key)
                try expect(lent, is: nil, "an expired key was lent", file: file, line: line)
                let entries = try await reader.fetchEntries(of: [key, key])
                try expect(entries, is: [nil, nil], "expired keys were read", file: file, line: line)
                let range = KeyRange(lower: .included(key), upper: .included(key))
                let page = try await reader.fetchEntries(in: range, limit: 1)
                try expect(page.entries, is: [], "the range of an expired key was read", file: file, line: line)
                let count = try await reader.fetchCount(in: range)
                try expect(count, is: 0, "an expired key was counted", file: file, line: line)
            }
        }
    }
}
