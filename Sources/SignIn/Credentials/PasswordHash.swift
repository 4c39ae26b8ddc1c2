import Foundation
import OAuth

/// A stored hash in PHC form with unpadded base64, such as `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`.
struct PasswordHash: Hashable {
    let parameters: Argon2Parameters
    let salt: [UInt8]
    let tag: [UInt8]

    init(parameters: Argon2Parameters, salt: [UInt8], tag: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
        self.tag = tag
    }

    init(_ stored: Secret) throws(CredentialError) {
        let parts = stored.reveal().split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19" else {
            throw .malformedHash("not Argon2id, version 19")
        }
        let costs = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3,
            let memory = Self.cost("m=", costs[0]),
            let passes = Self.cost("t=", costs[1]),
            let lanes = Self.cost("p=", costs[2])
        else { throw .malformedHash("its cost parameters cannot be read") }
        parameters = Argon2Parameters(memory: memory, passes: passes, lanes: lanes)
        guard parameters.isAllowed else { throw .malformedHash("its cost parameters are out of range") }
        guard let salt = Self.decode(parts[4]), (8...64).contains(salt.count) else {
            throw .malformedHash("its salt cannot be read")
        }
        guard let tag = Self.decode(parts[5]), (16...64).contains(tag.count) else {
            throw .malformedHash("its tag cannot be read")
        }
        self.salt = salt
        self.tag = tag
    }

    var text: Secret {
        let costs = "m=\(parameters.memory),t=\(parameters.passes),p=\(parameters.lanes)"
        return Secret("$argon2id$v=19$\(costs)$\(Self.encode(salt))$\(Self.encode(tag))")
    }

    private static func cost(_ name: String, _ text: Substring) -> UInt32? {
        guard text.hasPrefix(name) else { return nil }
        let digits = text.dropFirst(name.count)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(digits)
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    private static func decode(_ text: Substring) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding) else { return nil }
        let bytes = [UInt8](data)
        return encode(bytes) == text ? bytes : nil
    }
}
