import FlowModel
import Foundation
import Localization
import TestSupport
import Testing

@testable import Policies

@Suite(.timeLimit(.minutes(1)))
struct CheckTypeTests {
    @Test("a check has the defaults of its type") func defaults() {
        let password = Check(name: "UserLogin", type: .password)
        #expect(password.credential == .password)
        #expect(password.maxAttempts == 3)
        #expect(password.attemptingStateExpiration == .seconds(120))
        #expect(password.blockedStateExpiration == .seconds(10))
        #expect(password.acr == "1" && password.amr == ["pwd"])
        let code = Check(name: "EmailCode", type: .emailCode)
        #expect(code.credential == .email)
        #expect(code.maxAttempts == 5)
        #expect(code.attemptingStateExpiration == .seconds(600))
        #expect(code.blockedStateExpiration == .seconds(60))
        #expect(code.acr == "1" && code.amr == ["otp"])
        #expect(code.pin == nil)
        let pin = Check(name: "PinCodeAttempts", type: .pin)
        #expect(pin.credential == .pin)
        #expect(pin.maxAttempts == 3)
        #expect(pin.attemptingStateExpiration == .seconds(120))
        #expect(pin.blockedStateExpiration == .seconds(60))
        #expect(pin.acr == "2" && pin.amr == ["pin"])
        #expect(pin.pin == PINRule(minLength: 4, digitsOnly: true, allowsEnrolment: true))
    }

    @Test("users enrol the credentials of the enrolled check types, and accounts at providers")
    func enrolled() {
        let credentials = CheckType.all.filter(\.isEnrolled).map(\.credential)
        #expect(Set(Credential.enrolled) == Set(credentials + [.federated]))
    }

    @Test("the description of a policy has a sentence for every check type", arguments: CheckType.all)
    func explained(_ type: CheckType) {
        let values: [String: any TextParameter] = ["check": "Password", "url": "https://a.example", "issuer": "a"]
        #expect(Text("cli.policy.asks.\(type.name)", values).isInCatalog)
    }

    @Test("a type is encoded as its name, and an unknown name is rejected") func names() throws {
        for type in CheckType.all {
            let data = try JSONEncoder().encode([type])
            #expect(String(decoding: data, as: UTF8.self) == "[\"\(type.name)\"]")
            #expect(try JSONDecoder().decode([CheckType].self, from: data) == [type])
        }
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([CheckType].self, from: Data("[\"guess\"]".utf8))
        }
        #expect(error?.corruption == "unknown check type guess")
    }
}
