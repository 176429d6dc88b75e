// A real OpenID provider: node provider.mjs PORT MODULES. Everybody is let in with any password, and the claims of a
// login are made of it: `ada` is ada@uni.example, whose address is verified unless the login begins with `new`.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [port, modules] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(createRequire(`${modules}/`).resolve('oidc-provider')));
const issuer = `http://127.0.0.1:${port}`;

const provider = new Provider(issuer, {
  claims: {
    openid: ['sub'],
    profile: ['name', 'preferred_username', 'student_number'],
    email: ['email', 'email_verified'],
  },
  cookies: { keys: ['of the tests'] },
  features: { registration: { enabled: true } },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      preferred_username: id,
      name: `${id} of the university`,
      email: `${id}@uni.example`,
      email_verified: !id.startsWith('new'),
      student_number: '4711',
    }),
  }),
});
provider.on('server_error', (_, error) => console.error(error));
provider.listen(Number(port), '127.0.0.1', () => console.log('listening'));
