/// What is wrong with an address that somebody names: a predicate to be put behind the name of the setting.
public enum AddressProblem: Error, Hashable, Sendable {
    /// It is no URL, or none of `https`.
    case notHTTPS
    /// It is no URL, or none of `http` or `https`.
    case notHTTP
    /// It holds a user or a password.
    case hasUser
    /// It has a fragment.
    case hasFragment
    /// It has a query or a fragment.
    case hasQuery
    /// Its port is none.
    case otherPort
    /// It is `http`, and not of this machine.
    case unprotected
    /// The same of an address that a file names, which is repeated.
    case unprotectedText(String)
    /// It is of one link, such as a cloud's metadata.
    case linkLocal
    /// The port stands in the path.
    case portInPath(String, corrected: String)
    /// The host has capitals.
    case capitals(String)
    /// It has a path.
    case hasPath(String, corrected: String)
    /// It ends in a slash.
    case endsInSlash(String, corrected: String)
    /// It is a redirect URI of no place.
    case outOfBand
    /// It has more bytes than a redirect URI may have.
    case tooLong(most: Int)
    /// It is no URI, or has what a redirect URI may not have.
    case notWhole
    /// It has no host.
    case noHost
    /// It is a redirect URI of `http`, and not of loopback.
    case notLoopback
    /// Its scheme is neither `http` nor `https`, and no domain turned round.
    case otherScheme
}

extension AddressProblem: CustomStringConvertible {
    /// The predicate in English: `must not have a fragment`.
    public var description: String {
        switch self {
        case .notHTTPS: "must be a URL that begins with https://"
        case .notHTTP: "must be a URL that begins with http:// or https://"
        case .hasUser: "must not hold a user or a password"
        case .hasFragment: "must not have a fragment"
        case .hasQuery: "must not have a query or a fragment"
        case .otherPort: "has a port that is not 1 to 65535"
        case .unprotected: "is http, which is for this machine only; it must be https"
        case .unprotectedText(let text): "is \(text); http is for this machine only, so it must be https"
        case .linkLocal: "is an address that only one link knows, such as a cloud's metadata"
        case .portInPath(let text, let corrected): "is \(text); the port belongs behind the host: \(corrected)"
        case .capitals(let text): "is \(text); the host must be in lower case"
        case .hasPath(let text, let corrected): "is \(text); it must have no path: \(corrected)"
        case .endsInSlash(let text, let corrected): "is \(text); it must not end in /: \(corrected)"
        case .outOfBand:
            "is out of band, which cannot be registered: use a loopback address such as http://localhost, or the device code"
        case .tooLong(let most): "has more than \(most) bytes"
        case .notWhole: "must be a whole URI without a fragment, a user or a wildcard"
        case .noHost: "must have a host"
        case .notLoopback: "must be https: http is for loopback only"
        case .otherScheme: "has a scheme of its own, which must be a domain turned round: com.example.app"
        }
    }
}
