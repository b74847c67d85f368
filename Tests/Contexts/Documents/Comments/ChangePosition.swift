// The example of a documentation comment in Sources/HeartwoodFiles/ChangePosition.swift.
// swift-format-ignore-file
import Heartwood

func positionExample(_ change: Change) -> Bool {
    let text = "\(change.position)"
    let position = ChangePosition(text)
    return position == change.position
}
