import Policies
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PolicyIDTests {
    @Test("names have no case") func lowerCase() throws {
        #expect(try PolicyID("B2C_1_Sign_In") == PolicyID("b2c_1_sign_in"))
        #expect(try PolicyID("B2C_1_Sign_In").description == "b2c_1_sign_in")
    }

    @Test(
        "what is not b2c_1_ and a name is refused",
        arguments: ["", "b2c_1_", "sign_in", "b2c_1_sign-in", "b2c_1_a/b", "b2c_1_\u{E9}", "b2c_1a_x", "../b2c_1_x"]
    )
    func refused(_ text: String) {
        #expect(throws: PolicyID.Invalid.self) { try PolicyID(text) }
    }

    @Test("64 characters are a name, 65 are not") func length() throws {
        #expect(throws: Never.self) { try PolicyID("b2c_1_" + String(repeating: "a", count: 58)) }
        #expect(throws: PolicyID.Invalid.self) { try PolicyID("b2c_1_" + String(repeating: "a", count: 59)) }
    }
}
