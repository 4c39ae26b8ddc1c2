import FlowModel
import Foundation
import Policies
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(1)))
struct StepKindsTests {
    @Test("every check type is answered by one kind of step") func answered() {
        for type in CheckType.all {
            #expect(StepKinds.all.filter { $0.checkType == type }.count == 1, "\(type.name)")
        }
    }

    @Test("every type that users enrol has a credential and a step that sets it") func enrolled() {
        for type in CheckType.all.filter(\.isEnrolled) {
            #expect(CredentialKinds.enrolled(type.credential) != nil, "\(type.name)")
            #expect(StepKinds.all.contains { $0.enrols == type }, "\(type.name)")
        }
    }

    @Test("each kind of step has a unique name and is found by it") func words() {
        #expect(Set(StepKinds.all.map(\.type)).count == StepKinds.all.count)
        for kind in StepKinds.all { #expect(StepKinds.named(kind.type)?.type == kind.type) }
    }

    @Test("a stored step of an unknown kind is not read as another") func unknown() throws {
        let stored = String(decoding: try JSONEncoder().encode(Rig().record), as: UTF8.self)
        let other = stored.replacing("\"type\":\"password\"", with: "\"type\":\"guess\"")
        try #require(other != stored)
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(FlowRecord.self, from: Data(other.utf8))
        }
        #expect(error?.corruption == "no step has the type guess")
    }
}
