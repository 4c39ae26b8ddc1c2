/// Reason why an address is rejected: a predicate that follows the name of the setting.
public enum AddressProblem: Error, Hashable, Sendable {
    /// Not a URL with the scheme `https`.
    case notHTTPS
    /// Not a URL with the scheme `http` or `https`.
    case notHTTP
    /// A user or a password is in it.
    case hasUser
    /// A fragment is in it.
    case hasFragment
    /// A query or a fragment is in it.
    case hasQuery
    /// The port is not 1 to 65535.
    case otherPort
    /// `http` to another machine.
    case unprotected
    /// `http` to another machine, in a message that repeats the address.
    case unprotectedText(String)
    /// A link-local address, such as that of a cloud's metadata.
    case linkLocal
    /// The port is in the path.
    case portInPath(String, corrected: String)
    /// The host has capital letters.
    case capitals(String)
    /// A path is in it.
    case hasPath(String, corrected: String)
    /// The last character is a slash.
    case endsInSlash(String, corrected: String)
    /// An out-of-band redirect URI.
    case outOfBand
    /// Longer than a redirect URI may be, in bytes.
    case tooLong(most: Int)
    /// Not an absolute URI, or one with a part that no redirect URI may have.
    case notWhole
    /// The host is missing.
    case noHost
    /// A redirect URI with `http` whose host is not loopback.
    case notLoopback
    /// A private-use scheme that is not a reversed domain.
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
