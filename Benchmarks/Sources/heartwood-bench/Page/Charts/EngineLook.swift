/// How an engine is drawn, the same everywhere on the page: a colour, and a shape and a dash that say the same to whom
/// the colour tells nothing.
struct EngineLook: Sendable {
    /// The engine's identifier, which the page's script finds what is drawn of it by.
    let id: String
    /// Names the colour, and how bars are filled: see `PageStyle.colours`.
    let className: String
    let marker: Marker
    /// The dashes of its lines, as SVG has them; nil where they are whole.
    let dash: String?

    /// The looks of these engines, by identifier: those that are known have the same in every file.
    static func all(_ engines: [EngineInfo]) -> [String: EngineLook] {
        var looks: [String: EngineLook] = [:]
        var others = 0
        for engine in engines where looks[engine.id] == nil {
            if let look = known.first(where: { $0.id == engine.id }) {
                looks[engine.id] = look
            } else {
                // Colours of others come round again; shapes do so at another pace.
                let marker = Marker.allCases[(others * 2 + 1) % Marker.allCases.count]
                looks[engine.id] = EngineLook(
                    id: engine.id, className: "other-\(others % 3)", marker: marker,
                    dash: others < 3 ? "1 3" : "6 2 1 2")
                others += 1
            }
        }
        return looks
    }

    private static let known = [
        EngineLook(id: "heartwood", className: "heartwood", marker: .disc, dash: nil),
        EngineLook(id: "heartwood-mapped", className: "heartwood soft", marker: .ring, dash: "7 3"),
        EngineLook(id: "heartwood-threads", className: "heartwood hollow", marker: .target, dash: "2 3"),
        EngineLook(id: "rocksdb", className: "rocksdb", marker: .square, dash: nil),
        EngineLook(id: "leveldb", className: "leveldb", marker: .diamond, dash: "9 3"),
        EngineLook(id: "lmdb", className: "lmdb", marker: .up, dash: nil),
        EngineLook(id: "sqlite", className: "sqlite", marker: .down, dash: "6 2 2 2"),
        EngineLook(id: "grdb", className: "grdb", marker: .cross, dash: "3 3"),
        EngineLook(id: "raw", className: "raw hollow", marker: .plus, dash: "1 4"),
    ]

    /// The shape in its colour, for legends and tables.
    var key: Markup {
        """
        <svg class="key e \(className)" width="16" height="14" aria-hidden="true">\
        \(marker.at("8", "7", radius: 5))</svg>
        """
    }

    /// A piece of its line with the shape on it.
    var lineKey: Markup {
        """
        <svg class="key e \(className)" width="34" height="14" aria-hidden="true"><line class="stroke" x1="1" x2="33" \
        y1="7" y2="7"\(dashes)/>\(marker.at("17", "7", radius: 4))</svg>
        """
    }

    /// The attribute for lines.
    var dashes: Markup { dash.map { " stroke-dasharray=\"\($0)\"" } ?? "" }
}

/// The shape that stands for an engine.
enum Marker: Sendable, CaseIterable {
    case disc, square, diamond, up, down, cross, plus, ring, target

    /// The shape around a place, which may be given in per cent.
    func at(_ x: Markup, _ y: Markup, radius: Double) -> Markup {
        "<svg class=\"marker\" x=\"\(x)\" y=\"\(y)\" overflow=\"visible\">\(drawing(radius))</svg>"
    }

    private func drawing(_ radius: Double) -> Markup {
        let (r, far, near) = (radius, radius * 1.25, radius * 0.9)
        return switch self {
        case .disc: "<circle class=\"fill\" r=\"\(r)\"/>"
        case .ring: "<circle class=\"open\" r=\"\(r)\"/>"
        case .target: "<circle class=\"open\" r=\"\(r)\"/><circle class=\"fill\" r=\"\(r * 0.4)\"/>"
        case .square: "<path class=\"fill\" d=\"M\(-near) \(-near)H\(near)V\(near)H\(-near)Z\"/>"
        case .diamond: "<path class=\"fill\" d=\"M0 \(-far)L\(far) 0L0 \(far)L\(-far) 0Z\"/>"
        case .up: "<path class=\"fill\" d=\"M0 \(-far)L\(far) \(near)H\(-far)Z\"/>"
        case .down: "<path class=\"fill\" d=\"M0 \(far)L\(far) \(-near)H\(-far)Z\"/>"
        case .cross: "<path class=\"open\" d=\"M\(-near) \(-near)L\(near) \(near)M\(-near) \(near)L\(near) \(-near)\"/>"
        case .plus: "<path class=\"open\" d=\"M\(-far) 0H\(far)M0 \(-far)V\(far)\"/>"
        }
    }
}
