// From Sources/KeyValueStoreTesting/Conformance/KeyValueStoreConformance.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import KeyValueStoreTesting
import Testing

@Test(arguments: ConformanceCheck.all)
func conforms(_ check: ConformanceCheck) async throws {
    try await check.run(on: .init("MyEngine") { try await MyEngine() })
}

func MyEngine() async throws -> Store { try Store.inMemory() }
