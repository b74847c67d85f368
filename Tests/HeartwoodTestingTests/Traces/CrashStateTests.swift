import HeartwoodTesting
import Testing

@Suite struct CrashStateTests {
    @Test(arguments: ["0/nothing", "41/everything", "41/#7", "9/~18446744073709551615"])
    func isReadBackFromItsDescription(text: String) throws {
        let state = try #require(CrashState(text))
        #expect(state.description == text)
    }

    @Test(arguments: ["", "1", "1/", "x/nothing", "-1/nothing", "1/#", "1/#x", "1/?3", "1/nothing/2"])
    func refusesOtherText(text: String) {
        #expect(CrashState(text) == nil)
    }
}
