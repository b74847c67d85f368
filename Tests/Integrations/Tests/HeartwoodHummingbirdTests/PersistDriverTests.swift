import Heartwood
import HeartwoodHummingbird
import Hummingbird
import Testing

/// What every driver does: the cases of Hummingbird's tests of its own driver, which is held to the same assertions.
@Suite struct PersistDriverTests {
    @Test(arguments: Driver.allCases)
    func aSetValueIsRead(_ driver: Driver) async throws {
        let persist = try driver.make()
        #expect(try await persist.get(key: "a", as: Profile.self) == nil)
        try await persist.set(key: "a", value: Profile(name: "Ada"))
        #expect(try await persist.get(key: "a", as: Profile.self) == Profile(name: "Ada"))
        #expect(try await persist.get(key: "b", as: Profile.self) == nil)
    }

    @Test(arguments: [Driver.memory, .heartwood])
    func textsNumbersAndOptionalsAreValues(_ driver: Driver) async throws {
        let persist = try driver.make()
        try await persist.set(key: "text", value: "naïve \u{0} 🌲")
        try await persist.set(key: "number", value: -7)
        try await persist.set(key: "list", value: [1.5, 2.5])
        #expect(try await persist.get(key: "text", as: String.self) == "naïve \u{0} 🌲")
        #expect(try await persist.get(key: "number", as: Int.self) == -7)
        #expect(try await persist.get(key: "list", as: [Double].self) == [1.5, 2.5])
    }

    @Test(arguments: Driver.allCases)
    func aCreatedValueIsRead(_ driver: Driver) async throws {
        let persist = try driver.make()
        try await persist.create(key: "a", value: Profile(name: "Ada"))
        #expect(try await persist.get(key: "a", as: Profile.self) == Profile(name: "Ada"))
    }

    @Test(arguments: Driver.allCases)
    func aKeyIsCreatedOnce(_ driver: Driver) async throws {
        let persist = try driver.make()
        try await persist.create(key: "a", value: Profile(name: "Ada"))
        await #expect(throws: PersistError.duplicate) {
            try await persist.create(key: "a", value: Profile(name: "Eve"), expires: .seconds(1))
        }
        #expect(try await persist.get(key: "a", as: Profile.self) == Profile(name: "Ada"))
        #expect(try await persist.getWithTTL(key: "a", as: Profile.self)?.ttl == nil)
    }

    @Test(arguments: Driver.allCases)
    func setReplaces(_ driver: Driver) async throws {
        let persist = try driver.make()
        try await persist.set(key: "a", value: Profile(name: "Ada"))
        try await persist.set(key: "a", value: Profile(name: "Bob"))
        #expect(try await persist.get(key: "a", as: Profile.self) == Profile(name: "Bob"))
    }

    @Test(arguments: Driver.allCases)
    func valuesExpire(_ driver: Driver) async throws {
        let clock = TestClock()
        let persist = try driver.make(clock)
        try await persist.set(key: "now", value: Profile(name: "now"), expires: .zero)
        try await persist.create(key: "soon", value: Profile(name: "soon"), expires: .seconds(2))
        try await persist.set(key: "later", value: Profile(name: "later"), expires: .seconds(10))
        clock.advance(by: .seconds(1))
        #expect(try await persist.get(key: "now", as: Profile.self) == nil)
        #expect(try await persist.get(key: "soon", as: Profile.self) != nil)
        clock.advance(by: .milliseconds(1_001))
        #expect(try await persist.get(key: "soon", as: Profile.self) == nil)
        #expect(try await persist.getWithTTL(key: "soon", as: Profile.self) == nil)
        #expect(try await persist.get(key: "later", as: Profile.self) == Profile(name: "later"))
    }

    @Test(arguments: Driver.allCases)
    func theTimeToLiveIsWhatIsLeft(_ driver: Driver) async throws {
        let clock = TestClock()
        let persist = try driver.make(clock)
        try await persist.set(key: "a", value: Profile(name: "Ada"), expires: .seconds(10))
        clock.advance(by: .milliseconds(2_500))
        let read = try #require(try await persist.getWithTTL(key: "a", as: Profile.self))
        #expect(read.object == Profile(name: "Ada"))
        #expect(read.ttl == .milliseconds(7_500))
        try await persist.set(key: "b", value: Profile(name: "Bob"))
        let forever = try #require(try await persist.getWithTTL(key: "b", as: Profile.self))
        #expect(forever.ttl == nil)
    }

    @Test(arguments: Driver.allCases)
    func settingWithoutAnExpiryKeepsTheOldOne(_ driver: Driver) async throws {
        let clock = TestClock()
        let persist = try driver.make(clock)
        try await persist.set(key: "a", value: Profile(name: "Ada"), expires: .seconds(10))
        clock.advance(by: .seconds(4))
        try await persist.set(key: "a", value: Profile(name: "Bob"))
        let read = try #require(try await persist.getWithTTL(key: "a", as: Profile.self))
        #expect(read.object == Profile(name: "Bob"))
        #expect(read.ttl == .seconds(6))
        try await persist.set(key: "a", value: Profile(name: "Cid"), expires: .seconds(20))
        #expect(try await persist.getWithTTL(key: "a", as: Profile.self)?.ttl == .seconds(20))
    }

    @Test(arguments: Driver.allCases)
    func aValueOfAnotherTypeIsRefused(_ driver: Driver) async throws {
        let persist = try driver.make()
        try await persist.set(key: "a", value: Profile(name: "Ada"))
        await #expect(throws: PersistError.invalidConversion) { try await persist.get(key: "a", as: [String].self) }
        await #expect(throws: PersistError.invalidConversion) {
            try await persist.getWithTTL(key: "a", as: [String].self)
        }
        #expect(try await persist.get(key: "a", as: Profile.self) == Profile(name: "Ada"))
    }

    @Test(arguments: Driver.allCases)
    func aRemovedValueIsAbsent(_ driver: Driver) async throws {
        let persist = try driver.make()
        try await persist.set(key: "a", value: Profile(name: "Ada"), expires: .seconds(10))
        try await persist.remove(key: "a")
        try await persist.remove(key: "never there")
        #expect(try await persist.get(key: "a", as: Profile.self) == nil)
        try await persist.create(key: "a", value: Profile(name: "Bob"))
        #expect(try await persist.getWithTTL(key: "a", as: Profile.self)?.ttl == nil)
    }

    @Test(arguments: Driver.allCases)
    func anExpiredKeyIsSetAgain(_ driver: Driver) async throws {
        let clock = TestClock()
        let persist = try driver.make(clock)
        try await persist.set(key: "a", value: Profile(name: "Ada"), expires: .zero)
        clock.advance(by: .seconds(1))
        #expect(try await persist.get(key: "a", as: Profile.self) == nil)
        try await persist.set(key: "a", value: Profile(name: "Bob"), expires: .seconds(10))
        #expect(try await persist.get(key: "a", as: Profile.self) == Profile(name: "Bob"))
    }

    /// Keys of every scalar up to U+00FF, of the longest scalar, and of nothing.
    @Test(arguments: Driver.allCases)
    func keysAreAnyText(_ driver: Driver) async throws {
        let persist = try driver.make()
        let keys = ["", "\u{10FFFF}", "a/b", "a/", "persist/"] + (0...0xFF).map { String(Unicode.Scalar($0 as UInt8)) }
        for (number, key) in keys.enumerated() {
            try await persist.create(key: key, value: Profile(name: key, visits: number))
        }
        for (number, key) in keys.enumerated() {
            #expect(try await persist.get(key: key, as: Profile.self) == Profile(name: key, visits: number))
        }
    }

    @Test(arguments: Driver.allCases)
    func ofConcurrentCreatesOneSucceeds(_ driver: Driver) async throws {
        let persist = try driver.make()
        for round in 0..<20 {
            let created = try await withThrowingTaskGroup(of: Int?.self) { group in
                for task in 0..<16 {
                    group.addTask {
                        do {
                            try await persist.create(key: "key \(round)", value: Profile(name: "\(task)"))
                            return task
                        } catch let error as PersistError where error == .duplicate {
                            return nil
                        }
                    }
                }
                return try await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
            }
            #expect(created.count == 1)
            let read = try await persist.get(key: "key \(round)", as: Profile.self)
            #expect(read?.name == created.first.map { "\($0)" })
        }
    }
}
