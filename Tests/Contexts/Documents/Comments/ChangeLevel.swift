// From Sources/KeyValueStore/Feed/ChangeLevel.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func feeds(_ store: Store, _ stored: ChangePosition) -> [Changes] {
    let kept = store.changes(after: stored, level: .durable)     // may be continued from a stored position
    let live = store.changes(level: .visible)                    // earlier, and only for this process
    return [kept, live]
}
