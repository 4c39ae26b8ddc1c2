extension Icon {
    /// Returns the icon for a scope, by the last part of its name.
    static func scope(_ scope: String) -> Icon {
        let name = scope.split(whereSeparator: { $0 == "/" || $0 == "." }).last.map(String.init) ?? scope
        return switch name {
        case "offline_access": .refresh
        case "openid", "profile": .person
        case "email": .mail
        case "write", "Write", "ReadWrite": .pencil
        case "read", "Read": .list
        default: .check
        }
    }

    /// Returns an avatar with the first letter of a name.
    static func letter(of name: String) -> Markup {
        Markup("<span class=\"letter\" aria-hidden=\"true\">")
            + Markup(escaping: name.first.map { String($0).uppercased() } ?? "") + Markup("</span>")
    }
}
