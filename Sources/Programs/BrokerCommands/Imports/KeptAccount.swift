import FlowModel
import Foundation
import OAuth
import Terminal

/// An account that another program stored.
struct KeptAccount: Hashable {
    /// The name to give the account's authority if the authority does not exist yet.
    let name: String
    let issuer: String
    let clientID: String
    let clientSecret: Secret?
    let scopes: [String]
    let refreshToken: Secret

    func call(name: String?) -> ImportedAccount {
        var authority = NewAuthority(name ?? self.name, url: issuer, clientID: clientID)
        authority.clientSecret = clientSecret
        authority.scopes = scopes
        return ImportedAccount(refreshToken, at: authority)
    }

    static func name(_ text: String) -> String {
        let kept = text.lowercased().map {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") ? $0 : "-"
        }
        return String(String(kept).drop { $0 == "-" || $0 == "." }.prefix(64))
    }

    static func refusal(_ text: Text) -> CommandFailure { CommandFailure(.failed, "invalid_input", text) }

    static func name(of issuer: String) -> String { name(URLComponents(string: issuer)?.host ?? "") }
}

extension JSONValue {
    /// Returns a member's non-empty string value, or throws an error that contains no text from the file.
    func requiredText(_ member: String, of source: Text) throws(CommandFailure) -> String {
        guard let text = self[member]?.string, !text.isEmpty else {
            throw KeptAccount.refusal(Text("cli.broker.importLacks", ["member": member, "source": source]))
        }
        return text
    }
}
