import Policies
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PolicyIDTests {
    @Test("names are case-insensitive") func lowerCase() throws {
        #expect(try PolicyID("B2C_1_Sign_In") == PolicyID("b2c_1_sign_in"))
        #expect(try PolicyID("B2C_1_Sign_In").description == "b2c_1_sign_in")
    }

    @Test(
        "a name that is not b2c_1_ and more is rejected",
        arguments: ["", "b2c_1_", "sign_in", "b2c_1_sign-in", "b2c_1_a/b", "b2c_1_\u{E9}", "b2c_1a_x", "../b2c_1_x"]
    )
    func refused(_ text: String) {
        #expect(throws: PolicyID.Invalid.self) { try PolicyID(text) }
    }

    @Test("a name of 64 characters is accepted, and one of 65 is not") func length() throws {
        #expect(throws: Never.self) { try PolicyID("b2c_1_" + String(repeating: "a", count: 58)) }
        #expect(throws: PolicyID.Invalid.self) { try PolicyID("b2c_1_" + String(repeating: "a", count: 59)) }
    }
}
