/// What observers need: the time, the next expiry, and a view that isn't behind the feed.
extension ConformanceCheck {
    static let observers: [ConformanceCheck] = [
        ConformanceCheck("a store's time is that by which keys expire") { store, trial in
            let (lifetime, grain) = (trial.lifetime, store.limits.expiryGrain)
            let before = store.now
            try await store.write(.put("a", "", expires: .after(lifetime)))
            // A clock may have been read just before it went on.
            let after = store.now + max(grain, .seconds(1))
            let expires = try await trial.expiresLater("a")
            try expect(
                expires >= before + lifetime && expires <= after + lifetime, "a key was put that expires later",
                expected: "between \(before + lifetime) and \(after + lifetime)", found: "\(expires)")
        },
        ConformanceCheck("the next expiry of a range is the first one in it") { store, trial in
            let lifetime = trial.lifetime
            try await store.write(
                .put("a:1", "", expires: .after(lifetime * 3)), .put("a:2", ""), .put("b:1", ""),
                .put("a:3", "", expires: .after(lifetime)), .put("a:4", "", expires: .after(lifetime * 2)),
                .put("c:1", "", expires: .after(lifetime * 2)))
            let view = try await store.readView()
            let first = try await trial.expiresLater("a:3")
            try expect(try await view.fetchNextExpiry(in: .prefix("a")), is: first, "keys of a range expire")
            try expect(try await view.fetchNextExpiry(in: .prefix("b")), is: nil, "only keys of other ranges expire")
            try await store.write(.remove("a:3"), .put("c:1", ""))
            try expect(try await view.fetchNextExpiry(in: .all), is: first, "a key was removed after a view was made")
            let later = try await store.readView(for: .observation)
            try expect(
                try await later.fetchNextExpiry(in: .all), is: try await trial.expiryTime("a:4"),
                "the key that would have expired first was removed")
        },
        ConformanceCheck("an observer's view shows what a visible feed has delivered") { store, _ in
            let changes = store.changes(after: nil, in: .prefix("a"), level: .visible)
            async let writes: Void = {
                for number in 0..<20 { try await store.write(.put("a:\(number)", "\(number)")) }
            }()
            var count = 0
            for try await change in changes {
                let view = try await store.readView(for: .observation)
                let found = try await view.fetchEntry(change.key)
                try expect(
                    found?.value, is: change.value, "a change was delivered, and a view was made for an observer")
                try expect(
                    view.position.sequence >= change.sequence, "a view was made after the change \(change.sequence)",
                    expected: "that number or a later one", found: "\(view.position.sequence)")
                count += 1
                if count == 20 { break }
            }
            try await writes
        },
    ]
}
