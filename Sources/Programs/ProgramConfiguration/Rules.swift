import Foundation
import OAuth
import Policies
import StrictYAML
import Tables

/// Validation rules for strings that occur in several configuration files.
enum Rules {
    static let tenant = TextRule(maxLength: 63, form: "a tenant name", pattern: "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$") {
        if ["device", "healthz", "readyz", "metrics"].contains($0) { return "is \($0), which is a reserved path" }
        let isTenant =
            $0.isName(marks: ".-", digitFirst: true) && $0 == $0.lowercased() && !$0.hasSuffix(".")
            && !$0.hasSuffix("-")
        return isTenant ? nil : "must be lower-case letters, digits, dots and hyphens"
    }

    static let base = TextRule(maxLength: 256, form: "a URL such as `https://login.example`", pattern: "^https?://") {
        WebURL.refusal(ofBase: $0)?.description
    }

    static let api = TextRule(maxLength: 512, form: "a URL such as `https://tasks.example`", pattern: "^https?://") {
        WebURL.refusal(ofAPI: $0)?.description
    }

    static let resource = TextRule(maxLength: 512, form: "a URL such as `https://tasks.example`", pattern: "^https?://")
    {
        if let refusal = WebURL.refusal(ofAPI: $0) { return refusal.description }
        // The path becomes part of a route, so it must need no encoding and contain no reserved characters.
        return $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"{}*%\\\"<>^`|".utf8.contains($0) }
            ? nil : "must contain only characters that need no encoding"
    }

    static let authority = TextRule(maxLength: 512, form: "`unix:/PATH` or a URL", pattern: "^(unix:/|https?://)") {
        guard $0.hasPrefix("unix:") else { return WebURL.refusal(ofBase: $0)?.description }
        return $0.hasPrefix("unix:/") && $0.utf8.count <= 107 + 5 && !$0.hasSuffix("/")
            ? nil : "must be unix: and the whole path of a socket, at most 107 bytes"
    }

    static let address = TextRule(maxLength: 64, form: "an address and a port, such as `127.0.0.1:8420`") {
        guard ListenEndpoint($0) == nil else { return nil }
        return "is \($0.prefix(64)); it must be an address and a port, such as 127.0.0.1:8420 or [::1]:8420"
    }

    static let network = TextRule(maxLength: 64, form: "an address or a network such as `10.0.0.0/8`") {
        let parts = $0.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let bits = parts.first.flatMap(ListenEndpoint.bits) else { return "must be an address or a network" }
        guard parts.count == 2 else { return nil }
        return Int(parts[1]).map { (0...bits).contains($0) && "\($0)" == parts[1] } == true
            ? nil : "must end in / and 0 to \(bits)"
    }

    static let name = TextRule(maxLength: 64, form: "a name", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$") {
        $0.isName(marks: "._-", digitFirst: true) ? nil : "must be letters, digits, dots, hyphens and underscores"
    }

    static let scope = TextRule(maxLength: 128, form: "a scope", pattern: "^[!#-\\[\\]-~]+$") {
        // These are the characters that RFC 6749 §3.3 allows in a scope.
        $0.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
            ? nil : "must be letters, digits and signs without a space, a quotation mark or a backslash"
    }

    static let policy = TextRule(
        maxLength: PolicyID.maximumLength,
        form: "a policy name",
        pattern: "^[bB]2[cC]_1_\\w+$"
    ) {
        (try? PolicyID($0)) == nil ? "names no policy: \(PolicyID.Invalid())" : nil
    }

    static let returnURI = TextRule(
        maxLength: 512,
        form: "a redirect URI such as `http://127.0.0.1`",
        pattern: "^(https?://|urn:ietf:wg:oauth:2\\.0:oob$)"
    ) {
        $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !$0.contains { "?#\"<>\\^`{|}".contains($0) }
            ? nil : "must be a URL without a query and a fragment"
    }

    static let path = TextRule(maxLength: 1024, form: "a path (absolute or relative to the file's folder)")

    static let hook = TextRule(maxLength: 512, form: "`unix:/PATH` or an https URL", pattern: "^(unix:/|https://)") {
        guard $0.hasPrefix("unix:") else {
            return $0.hasPrefix("http://")
                ? "must be https, or unix: and the path of a socket" : WebURL.refusal(ofAPI: $0)?.description
        }
        return authority.refusal($0)
    }

    static let origin = TextRule(maxLength: 256, form: "an origin such as `https://app.example`", pattern: "^https?://")
    {
        if $0 == "*" { return "is *, which would allow every page to call; it must be a list of origins" }
        if let refusal = WebURL.refusal(ofBase: $0) { return refusal.description }
        let isPlain =
            !($0.hasPrefix("https:") && $0.hasSuffix(":443")) && !($0.hasPrefix("http:") && $0.hasSuffix(":80"))
        return isPlain ? nil : "has the port that browsers leave out"
    }

    static let tokenOrigin = TextRule(
        maxLength: 256,
        form: "an origin such as `https://api.example`",
        pattern: "^https?://"
    ) {
        if $0 == "*" { return "is *, which would allow tokens to be sent anywhere; it must be a list of origins" }
        if let refusal = WebURL.refusal(ofBase: $0) { return refusal.description }
        return WebOrigin($0) == nil ? "must be a scheme, a host and optionally a port" : nil
    }

    static let pattern = TextRule(maxLength: Pattern.maxLength, form: "a regular expression (I-Regexp, RFC 9485)") {
        do throws(Pattern.Refusal) {
            _ = try Pattern($0)
            return nil
        } catch {
            return "is not a regular expression of RFC 9485: \(error)"
        }
    }

    static let host = TextRule(maxLength: 253, form: "a host name or address") {
        if ListenEndpoint.bits(of: $0) != nil { return nil }
        return $0.isName(marks: ".-", digitFirst: true) && !$0.hasSuffix("-")
            ? nil : "must be a host's name or address, without a port"
    }

    static let proxy = TextRule(
        maxLength: 256,
        form: "a proxy such as `http://proxy.example:3128`",
        pattern: "^http://"
    ) {
        OutgoingSettings.Proxy($0) == nil ? "must consist of http://, a host and a port only" : nil
    }

    static let proxyUsername = TextRule(maxLength: 256, form: "a user name without a colon", pattern: "^[^:]+$") {
        $0.contains(":") ? "must not contain a colon (RFC 7617)" : nil
    }

    static let mailAddress = TextRule(maxLength: 254, form: "an e-mail address") {
        AttributeRule.isAddress($0) ? nil : "must be an e-mail address"
    }

    static let redirectURI = TextRule(maxLength: RedirectURI.maxLength, form: "a redirect URI") {
        do throws(AddressProblem) {
            _ = try RedirectURI($0)
            return nil
        } catch {
            return error.description
        }
    }
}
