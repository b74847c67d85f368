import Testing

@testable import cluster_campaign

@Suite struct FeedCheckTests {
    @Test func acceptsACompleteFeed() {
        #expect(FeedCheck.problems(acknowledged: [5, 2], followed: [2, 3, 5]) == [])
    }

    @Test func findsGapsRepetitionsAndDisorder() {
        #expect(FeedCheck.problems(acknowledged: [2, 5], followed: [2]).count == 1)
        #expect(FeedCheck.problems(acknowledged: [2], followed: [2, 2]).count == 1)
        #expect(FeedCheck.problems(acknowledged: [2], followed: [3, 2]).count == 1)
        #expect(FeedCheck.problems(acknowledged: [2, 2], followed: [2]).count == 1)
    }
}
