import Heartwood
import Testing

/// The cache of the guide is in step with its store.
@Suite(.timeLimit(.minutes(5))) struct SettingsTests {
    @Test func followsTheStore() async throws {
        let store = try Store.inMemory()
        let settings = Settings()
        try await store.put("setting/color", "red", durability: .buffered)
        let following = Task { try await settings.follow(store) }
        while await settings.value(of: "color") != "red" { try await Task.sleep(for: .milliseconds(1)) }
        let end = Timestamp(milliseconds: 4_000_000_000_000)
        try await store.put("setting/size", "7", expires: .at(end), durability: .buffered)
        try await store.remove("setting/color", durability: .buffered)
        while await settings.value(of: "color") != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await settings.value(of: "size") == "7")
        #expect(await settings.value(of: "size", now: end) == nil)
        try await store.close()
        try await following.value
    }
}
