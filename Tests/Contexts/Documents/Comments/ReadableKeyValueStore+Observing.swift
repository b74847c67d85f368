// From Sources/HeartwoodRepository/Observation/ReadableKeyValueStore+Observing.swift.
import Heartwood
import HeartwoodRepository

func observeKeys(_ store: Store) async throws {
    for try await entry in store.observe("settings/theme") { print(entry?.value ?? []) }
    for try await settings in store.observe(in: .prefix("settings/")) { print(settings.count) }
}
