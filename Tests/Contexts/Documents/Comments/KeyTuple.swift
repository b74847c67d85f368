// From Sources/HeartwoodRepository/Keys/KeyTuple.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

func room() {
    struct Message: Codable {
        var id: KeyTuple<String, Int>        // the room, and the number in it
    }
    let id = KeyTuple("general", 42)
    print(id.elements.0)
    print(Message(id: id).id)
}
