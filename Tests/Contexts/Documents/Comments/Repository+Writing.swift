// From Sources/HeartwoodRepository/Repository+Writing.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func countVisit(_ users: Repository<Member>) async throws -> String? {
    let name = try await users.update(7) { user in
        user.visits += 1
        return user.name
    }
    return name
}
