import Foundation
import HeartwoodTesting
import Testing

@testable import HeartwoodRepository

@Suite("Filters")
struct FilterTests {
    private func item(_ change: (inout Item) -> Void = { _ in }) -> Item {
        var random = SeededRandom(1)
        var item = Item(1, &random)
        change(&item)
        return item
    }

    private func matches(_ filter: Filter<Item>, _ change: (inout Item) -> Void) throws -> Bool {
        try filter.matches(item(change))
    }

    @Test("Comparisons never match nil or NaN; equality is Swift's")
    func nilAndNaN() throws {
        #expect(try !matches(\.height < 1) { $0.height = nil })
        #expect(try !matches(\.height >= -.infinity) { $0.height = .nan })
        #expect(try !matches(\.weight <= .infinity) { $0.weight = .nan })
        #expect(try matches(\.weight >= .infinity) { $0.weight = .infinity })
        #expect(try !matches(\.weight < .nan) { $0.weight = 1 })
        #expect(try !matches(\.weight == .nan) { $0.weight = .nan })
        #expect(try matches(\.weight != .nan) { $0.weight = .nan })
        #expect(try matches(\.height == nil) { $0.height = nil })
        #expect(try matches(\.height != 1) { $0.height = nil })
        #expect(try matches(!(\.weight < 1)) { $0.weight = .nan })
        #expect(try matches(\.weight == 0.0) { $0.weight = -0.0 })
        #expect(try !matches(.isIn(\.weight, [.nan, 1])) { $0.weight = .nan })
        #expect(try matches(.isIn(\.height, [nil, 1])) { $0.height = nil })
    }

    @Test("Texts are compared by canonical equivalence")
    func texts() throws {
        #expect(try matches(\.name == "\u{e9}") { $0.name = "e\u{301}" })
        #expect(try !matches(.hasPrefix(\.name, "e")) { $0.name = "\u{e9}" })
        #expect(try !matches(.hasPrefix(\.name, "x")) { $0.name = "x\u{301}" })
        #expect(try matches(.hasPrefix(\.name, "e\u{301}")) { $0.name = "\u{e9}t" })
        #expect(try matches(.hasPrefix(\.name, "")) { $0.name = "" })
        #expect(try !matches(.hasPrefix(\.code, "")) { $0.code = nil })
        #expect(try matches(.contains(\.tags, "e\u{301}")) { $0.tags = ["x", "\u{e9}"] })
        #expect(try !matches(!.contains(\.tags, "x")) { $0.tags = ["x"] })
    }

    @Test("Ranges include their bounds as Swift's do")
    func ranges() throws {
        for number in 0...6 {
            #expect(try matches(.isIn(\.number, 2...4)) { $0.number = number } == (2...4).contains(number))
            #expect(try matches(.isIn(\.number, 2..<4)) { $0.number = number } == (2..<4).contains(number))
        }
        #expect(try !matches(.isIn(\.height, 0...1)) { $0.height = nil })
    }

    @Test("A filter describes itself")
    func description() {
        let filter: Filter<Item> =
            \.number >= 5 && (\.name == "a" || .hasPrefix(\.code, "c")) && !.contains(\.tags, "x")
        #expect(
            filter.description
                == #"number >= 5 && (name == "a" || code begins with "c") && !(tags contains "x")"#)
    }

    @Test("Algebra of sets equals that of their elements, seeds 0 to 299", arguments: 0..<300 as Range<UInt64>)
    func algebra(seed: UInt64) {
        var random = SeededRandom(seed)
        let elements =
            Item.names.map { ElementKind.encoded($0) } + Item.weights.map { ElementKind.encoded($0) }
            + (-2...2).map { ElementKind.encoded($0) } + [EncodedElement.null]
        func set() -> EncodedSet {
            let element = random.pick(elements)
            switch random.below(5) {
            case 0: return EncodedSet(element)
            case 1: return EncodedSet(from: element, to: EncodedSet.end)
            case 2: return EncodedSet(from: EncodedSet.start, to: EncodedSet.after(element))
            case 3: return EncodedSet(textBeginningWith: random.pick(Item.names))
            default: return EncodedSet(unionOf: EncodedSet(element).spans + EncodedSet(random.pick(elements)).spans)
            }
        }
        var left = set()
        for _ in 0..<6 {
            let right = set()
            let (union, both, complement) = (left.union(right), left.intersection(right), left.complement)
            let isRight = elements.allSatisfy { element in
                let (inLeft, inRight) = (left.contains(element), right.contains(element))
                return union.contains(element) == (inLeft || inRight) && both.contains(element) == (inLeft && inRight)
                    && complement.contains(element) != inLeft
            }
            #expect(isRight, "seed \(seed)")
            left = random.pick([union, both, complement])
        }
    }
}
