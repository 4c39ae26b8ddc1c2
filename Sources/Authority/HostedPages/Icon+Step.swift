extension Icon {
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

    static func letter(of name: String) -> Markup {
        Markup("<span class=\"letter\" aria-hidden=\"true\">")
            + Markup(escaping: name.first.map { String($0).uppercased() } ?? "") + Markup("</span>")
    }
}
