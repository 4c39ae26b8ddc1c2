import FlowModel
import Foundation
import OAuth
import Terminal

/// An account that another program stored.
struct KeptAccount: Hashable {
    /// The name for the account's authority, if no authority with this issuer and client exists yet.
    let name: String
    let issuer: String
    let clientID: String
    let clientSecret: Secret?
    let scopes: [String]
    let refreshToken: Secret

    /// Returns the call that imports the account.
    func call(name: String?) -> ImportedAccount {
        var authority = NewAuthority(name ?? self.name, url: issuer, clientID: clientID)
        authority.clientSecret = clientSecret
        authority.scopes = scopes
        return ImportedAccount(refreshToken, at: authority)
    }

    /// Converts a string to a valid name for an authority.
    static func name(_ text: String) -> String {
        let kept = text.lowercased().map {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") ? $0 : "-"
        }
        return String(String(kept).drop { $0 == "-" || $0 == "." }.prefix(64))
    }

    /// Returns the failure for a file with unexpected content.
    static func refusal(_ text: Text) -> CommandFailure { CommandFailure(.failed, "invalid_input", text) }

    /// Returns the issuer's host, converted to a valid name.
    static func name(of issuer: String) -> String { name(URLComponents(string: issuer)?.host ?? "") }
}

extension JSONValue {
    /// Returns the string value of a member.
    ///
    /// The failure contains the name of the missing member but no content from the file.
    func requiredText(_ member: String, of source: Text) throws(CommandFailure) -> String {
        guard let text = self[member]?.string, !text.isEmpty else {
            throw KeptAccount.refusal(Text("cli.broker.importLacks", ["member": member, "source": source]))
        }
        return text
    }
}
