// From Sources/HeartwoodRepository/Migration.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func memberMigrations() -> [Migration] {
    struct UserV1: Codable {
        var id: Int
        var first, last: String
    }
    struct UserV2: Codable {
        var id: Int
        var name: String
    }
    struct User: Codable {
        var id: Int
        var name: String
        var since: Int?
    }
    let migrations = [
        Migration(from: 1, to: 2) { (old: UserV1) in UserV2(id: old.id, name: old.first + " " + old.last) },
        Migration(from: 2, to: 3) { (old: UserV2) in User(id: old.id, name: old.name, since: nil) },
    ]
    return migrations
}
