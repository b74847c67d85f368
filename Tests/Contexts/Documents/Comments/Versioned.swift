// From Sources/HeartwoodRepository/Versioned.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func renameMember(_ users: Repository<Member>) async throws {
    if let found = try await users.findVersioned(by: 7) {
        var user = found.model
        user.name = "Ada"
        try await users.save(user, replacing: found)        // throws .conflict if another task was faster
    }
}
