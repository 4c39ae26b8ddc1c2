import FlowModel
import Foundation
import OAuth
import Terminal

/// An account as another program has kept it.
struct KeptAccount: Hashable {
    /// The name for its authority, if there is none of this issuer and client yet.
    let name: String
    let issuer: String
    let clientID: String
    let clientSecret: Secret?
    let scopes: [String]
    let refreshToken: Secret

    /// The call that takes it over.
    func call(name: String?) -> ImportedAccount {
        var authority = NewAuthority(name ?? self.name, url: issuer, clientID: clientID)
        authority.clientSecret = clientSecret
        authority.scopes = scopes
        return ImportedAccount(refreshToken, at: authority)
    }

    /// A name that an authority may have, of the letters of a text.
    static func name(_ text: String) -> String {
        let kept = text.lowercased().map {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") ? $0 : "-"
        }
        return String(String(kept).drop { $0 == "-" || $0 == "." }.prefix(64))
    }

    /// The refusal of a file that is not what it has to be.
    static func refusal(_ text: Text) -> CommandFailure { CommandFailure(.failed, "invalid_input", text) }

    /// The host of an issuer, as a name.
    static func name(of issuer: String) -> String { name(URLComponents(string: issuer)?.host ?? "") }
}

extension JSONValue {
    /// The text of a member; a failure that names what is missing, and repeats nothing of the file.
    func requiredText(_ member: String, of source: Text) throws(CommandFailure) -> String {
        guard let text = self[member]?.string, !text.isEmpty else {
            throw KeptAccount.refusal(Text("cli.broker.importLacks", ["member": member, "source": source]))
        }
        return text
    }
}
